// SPDX-License-Identifier: Apache-2.0
#include "field_cases.h"

#include <array>
#include <utility>

namespace tw {
namespace {

using enum DType;

struct Size {
  std::int64_t m, n, k, batch = 1;
};

// "nt": one letter for A and one for B; the accumulator is the type's usual one, D has `out`.
GemmProblem Product(const Size& size, DType type, DType out, const std::string& layout = "nn") {
  GemmProblem p{.m = size.m, .n = size.n, .k = size.k, .batch = size.batch};
  p.a.type = p.b.type = type;
  p.c.type = p.d.type = out;
  p.a.major = layout[0] == 'n' ? Major::kRow : Major::kCol;
  p.b.major = layout[1] == 'n' ? Major::kRow : Major::kCol;
  p.acc = type == kS8 ? kS32 : type == kF64 ? kF64 : kF32;
  return p;
}

GemmProblem Product(const Size& size, DType type, const std::string& layout = "nn") {
  const DType out = type == kTf32 ? kF32 : type == kS8 ? kS32 : type;
  return Product(size, type, out, layout);
}

GemmProblem Done(const GemmProblem& p) {
  return Normalize(p).value();
}

// Of one type, in one layout.
std::vector<GemmProblem> Products(const std::vector<Size>& sizes,
                                  DType type,
                                  DType out,
                                  const std::string& layout = "nn") {
  std::vector<GemmProblem> problems;
  for (const Size& size : sizes)
    problems.push_back(Done(Product(size, type, out, layout)));
  return problems;
}

int KnobOf(const Candidate& candidate, std::string_view name) {
  for (const auto& [knob, value] : candidate.config.knobs) {
    if (knob == name)
      return value;
  }
  return 0;
}

// ---- A: alignment, tails of K, odd and tiny sizes ----------------------------------------------

FieldCase OddHalves() {
  GemmProblem columns = Product({2, 4, 3}, kF16, "tt");
  columns.a.ld = 2;
  columns.b.ld = 3;
  columns.c.major = columns.d.major = Major::kCol;
  columns.c.ld = columns.d.ld = 2;
  FieldCase field{"C001", {Done(columns)}, 3};
  for (const char* layout : {"nn", "nt", "tn", "tt"}) {
    for (const std::int64_t m : {1, 3, 8, 9}) {
      for (const std::int64_t n : {1, 2, 9})
        for (const std::int64_t k : {1, 7, 9})
          field.problems.push_back(Done(Product({m, n, k}, kF16, layout)));
    }
  }
  return field;
}

FieldCase BiasAndReluOnOddSizes() {
  GemmProblem p = Product({1, 105, 107}, kF16);
  p.epilogue = {.bias = BiasKind::kCol, .activation = "relu"};
  return {"C003", {Done(p)}, 6};
}

// Every count of stages over a tail of 4 in K.
FieldCase TailsInEveryStage() {
  const GemmProblem p = Done(Product({504, 104, 100}, kF16, kF32, "tn"));
  return {"C006", {p}, 24, [](const Candidate& c) { return c.resources.stages >= 3; }};
}

FieldCase OneRowWithResidual() {
  GemmProblem p = Product({1, 1000, 512}, kF16);
  p.beta = ScalarKind::kOne;
  return {"C014", {Done(p)}, 6};
}

FieldCase EveryRasterGroup() {
  FieldCase field{"C024", {}, 8, [](const Candidate& c) { return KnobOf(c, "group_m") > 1; }};
  for (const std::int64_t n : {1024, 1152, 1280, 1536, 1664, 2048, 2560, 3072})
    field.problems.push_back(Done(Product({n, n, 1024}, kBf16, "nt")));
  return field;
}

std::vector<FieldCase> AlignmentAndTails() {
  return {
      OddHalves(),
      BiasAndReluOnOddSizes(),
      {"C004", Products({{1471, 256, 512}, {1472, 256, 512}}, kF16, kF16)},
      TailsInEveryStage(),
      {"C008", Products({{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, kTf32, kF32), 6},
      {"C009", Products({{1000, 999, 1001}, {1000, 1000, 1000}}, kF16, kF16), 6},
      {"C011", Products({{64, 64, 24}, {64, 64, 40}, {64, 64, 56}}, kF16, kF16), 6},
      {"C013",
       Products({{1, 768, 2048},
                 {2, 768, 2048},
                 {4, 768, 2048},
                 {8, 768, 2048},
                 {15, 768, 2048},
                 {16, 768, 2048},
                 {17, 768, 2048}},
                kF16, kF16, "nt"),
       6},
      OneRowWithResidual(),
      {"C016 forward", Products({{896, 4096, 712}}, kE4m3, kBf16, "nt"), 6},
      {"C016 wgrad", Products({{256, 512, 1000}, {256, 512, 4091}}, kE4m3, kF32, "tn"), 6},
      {"C018", Products({{1, 16, 16}, {1, 32, 32}}, kS8, kS32), 6},
      {"C019", Products({{64, 7168, 1152}}, kE4m3, kBf16, "nt")},
      {"C021", Products({{512, 1024, 147456}, {1538, 256, 2048}, {1, 256, 2048}, {133, 256, 2048}},
                        kBf16, kF32, "nt")},
      {"C023", Products({{1, 4096, 1}, {4096, 1, 1}, {1, 1, 4096}}, kF32, kF32), 6},
      EveryRasterGroup(),
  };
}

// ---- B: strides, huge sizes, batches, nothing to add -------------------------------------------

// The last element of A lies beyond 2^31.
FieldCase LongStride() {
  FieldCase field{"C028", {}, 2};
  for (const std::int64_t k : {16909321, 16909322}) {
    GemmProblem p = Product({1, 1, k}, kBf16, "tn");
    p.a.ld = 127;
    field.problems.push_back(Done(p));
  }
  return field;
}

FieldCase StrideThatNobodyFollows() {
  GemmProblem p = Product({64, 64, 64}, kBf16);
  p.a.batch_stride = std::int64_t{1} << 32U;
  return {"C029", {Done(p)}};
}

FieldCase NoTerms() {
  FieldCase field{"C033", Products({{1, 43200, 0, 10}}, kF32, kF32)};
  GemmProblem scaled = Product({3, 3, 0}, kF32);
  scaled.beta = ScalarKind::kOne;
  field.problems.push_back(Done(scaled));
  scaled.epilogue.bias = BiasKind::kRow;
  field.problems.push_back(Done(scaled));
  return field;
}

FieldCase BroadcastOperands() {
  GemmProblem a = Product({96, 256, 224, 1024}, kBf16);
  GemmProblem b = a;
  a.a.batch_stride = 0;
  b.b.batch_stride = 0;
  return {"C034", {Done(a), Done(b)}, 6};
}

FieldCase LeadingDimensions() {
  FieldCase field{"C038", {}, 3};
  for (const std::int64_t ld : {4096, 4097, 4104, 8192}) {
    GemmProblem p = Product({4096, 4096, 4096}, kBf16, "nt");
    p.a.ld = ld;
    p.a.align_bytes = 2;
    field.problems.push_back(Done(p));
  }
  return field;
}

std::vector<FieldCase> StridesAndBatches() {
  return {
      {"C026", Products({{32768, 131072, 1024}}, kBf16, kBf16, "nt"), 2},
      LongStride(),
      StrideThatNobodyFollows(),
      {"C031", Products({{16, 16, 8, 65535}, {16, 16, 8, 65536}}, kF32, kF32), 3},
      NoTerms(),
      BroadcastOperands(),
      LeadingDimensions(),
      {"C039", Products({{1, 50000, 50000}}, kBf16, kBf16, "nt"), 2},
  };
}

// ---- C: types and accumulation -----------------------------------------------------------------

FieldCase SplitSums() {
  return {"C041", Products({{64, 4096, 14336}, {512, 4096, 14336}}, kBf16, kBf16, "nt"), 6,
          [](const Candidate& c) { return c.resources.split_k > 1; }};
}

// A result that its type cannot hold becomes the largest one; rows and columns of other scales see
// to it that some are.
FieldCase Saturation() {
  FieldCase field{"C049", Products({{128, 128, 4096}}, kE4m3, kE4m3, "nt"), 6};
  GemmProblem scaled = Product({128, 128, 4096}, kE5m2, kE5m2, "nt");
  scaled.alpha = ScalarKind::kOther;
  field.problems.push_back(Done(scaled));
  return field;
}

FieldCase Fp8InEveryLayout() {
  FieldCase field{"C051", {}, 4};
  for (const char* layout : {"nn", "nt", "tn", "tt"})
    field.problems.push_back(Done(Product({4096, 3072, 3072}, kE4m3, kBf16, layout)));
  field.problems.push_back(Done(Product({256, 4096, 4096}, kE4m3, kBf16, "nt")));
  return field;
}

std::vector<FieldCase> TypesAndSums() {
  return {
      SplitSums(),
      {"C048", Products({{256, 256, 256}, {255, 257, 131}}, kS8, kS8), 6},
      Saturation(),
      Fp8InEveryLayout(),
      {"C054", Products({{1024, 1024, 1024}}, kS8, kS32), 8},
  };
}

// ---- D: epilogues ------------------------------------------------------------------------------

FieldCase BiasAxes() {
  FieldCase field{"C058", {}, 4};
  for (const BiasKind bias : {BiasKind::kCol, BiasKind::kRow}) {
    for (const Major major : {Major::kRow, Major::kCol}) {
      GemmProblem p = Product({8, 4, 8}, kF16);
      p.epilogue.bias = bias;
      p.c.major = p.d.major = major;
      field.problems.push_back(Done(p));
    }
  }
  return field;
}

FieldCase BiasAndResidual() {
  FieldCase field{"C059", {}, 6};
  for (const Size& size : {Size{128, 256, 64}, Size{256, 128, 64}}) {
    GemmProblem p = Product(size, kF16, "nt");
    p.epilogue.bias = BiasKind::kCol;
    p.beta = ScalarKind::kOne;
    field.problems.push_back(Done(p));
  }
  return field;
}

FieldCase PartialSumsInTheWorkspace() {
  return {"C064", Products({{1024, 1024, 1024}}, kF16, kF16, "nt"), 16,
          [](const Candidate& c) { return c.resources.split_k > 1; }};
}

}  // namespace

// Elsewhere or not: C036, C061 (refused by Normalize: normalize_test); C053 (no product of three
// tf32 passes); C043, C044 and the scales of C019 and C051 (of blocks, or still to be
// added); C046 (nor
// sums in f16); C056 (a matter of speed); C063 (nothing promises that C is not A: kernels have no
// __restrict__ there).
std::vector<FieldCase> FieldCases() {
  std::vector<FieldCase> cases;
  for (std::vector<FieldCase>& group :
       std::array{AlignmentAndTails(), StridesAndBatches(), TypesAndSums(),
                  std::vector{BiasAxes(), BiasAndResidual(), PartialSumsInTheWorkspace()}}) {
    for (FieldCase& field : group)
      cases.push_back(std::move(field));
  }
  return cases;
}

}  // namespace tw
