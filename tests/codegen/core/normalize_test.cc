// The rules of Normalize, one by one.
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/core/gemm_problem.h"

namespace tw {
namespace {

constexpr std::int64_t kHuge = std::int64_t{1} << 40U;

// A valid problem: bf16, 10 x 20 x 30, three items, beta = 1.
GemmProblem Valid() {
  GemmProblem p{.m = 10, .n = 20, .k = 30, .batch = 3};
  for (Operand* op : {&p.a, &p.b, &p.c, &p.d})
    op->type = DType::kBf16;
  p.beta = ScalarKind::kOne;
  return p;
}

void SetTypes(GemmProblem& p, DType input, DType accumulate, DType output) {
  p.a.type = p.b.type = input;
  p.acc = accumulate;
  p.c.type = p.d.type = output;
  for (Operand* op : {&p.a, &p.b, &p.c, &p.d})
    op->align_bytes = 16;
}

struct Refusal {
  std::function<void(GemmProblem&)> change;
  std::string field;
  std::string message;
};

void ExpectRefused(const std::vector<Refusal>& refusals, StatusCode code) {
  for (const Refusal& refusal : refusals) {
    GemmProblem p = Valid();
    refusal.change(p);
    const Result<GemmProblem> result = Normalize(p);
    ASSERT_FALSE(result.ok()) << refusal.message;
    EXPECT_EQ(result.status().message(), refusal.message);
    EXPECT_EQ(result.status().field(), refusal.field);
    EXPECT_EQ(result.status().code(), code) << refusal.message;
  }
}

TEST(Normalize, AcceptsTheBaseProblem) {
  const Result<GemmProblem> p = Normalize(Valid());
  ASSERT_TRUE(p.ok()) << p.status().ToString();
  EXPECT_EQ(p->a.ld, 30);
  EXPECT_EQ(p->b.ld, 20);
  EXPECT_EQ(p->c.ld, 20);
  EXPECT_EQ(p->d.ld, 20);
  EXPECT_EQ(p->a.batch_stride, 300);
  EXPECT_EQ(p->b.batch_stride, 600);
  EXPECT_EQ(p->c.batch_stride, 200);
  EXPECT_EQ(p->d.batch_stride, 200);
}

TEST(Normalize, RefusesNegativeSizes) {
  ExpectRefused({{[](auto& p) { p.m = -1; }, "m", "m = -1: must be >= 0"},
                 {[](auto& p) { p.n = -2; }, "n", "n = -2: must be >= 0"},
                 {[](auto& p) { p.k = kPacked; }, "k", "k = -9223372036854775808: must be >= 0"},
                 {[](auto& p) { p.batch = -1; }, "batch", "batch = -1: must be >= 0"}},
                StatusCode::kInvalidArgument);
}

TEST(Normalize, RefusesLeadingDimensionsBelowPacked) {
  ExpectRefused(
      {{[](auto& p) { p.a.ld = 29; }, "lda", "lda = 29: must be >= 30"},
       {[](auto& p) { p.a.ld = 0; }, "lda", "lda = 0: must be >= 30"},
       {[](auto& p) { p.a.ld = -30; }, "lda", "lda = -30: must be >= 30"},
       {[](auto& p) { p.a.major = Major::kCol, p.a.ld = 9; }, "lda", "lda = 9: must be >= 10"},
       {[](auto& p) { p.b.ld = 19; }, "ldb", "ldb = 19: must be >= 20"},
       {[](auto& p) { p.b.major = Major::kCol, p.b.ld = 29; }, "ldb", "ldb = 29: must be >= 30"},
       {[](auto& p) { p.c.ld = 19; }, "ldc", "ldc = 19: must be >= 20"},
       {[](auto& p) { p.beta = ScalarKind::kZero, p.c.ld = 19; }, "ldc", "ldc = 19: must be >= 20"},
       {[](auto& p) { p.d.ld = 19; }, "ldd", "ldd = 19: must be >= 20"},
       {[](auto& p) { p.n = 0, p.d.ld = 0; }, "ldd", "ldd = 0: must be >= 1"}},
      StatusCode::kInvalidArgument);
}

TEST(Normalize, RefusesBatchStrides) {
  ExpectRefused(
      {{[](auto& p) { p.a.batch_stride = -1; }, "stride_a", "stride_a = -1: must be >= 0"},
       {[](auto& p) { p.b.batch_stride = -600; }, "stride_b", "stride_b = -600: must be >= 0"},
       {[](auto& p) { p.c.batch_stride = -1; }, "stride_c", "stride_c = -1: must be >= 0"},
       {[](auto& p) { p.d.batch_stride = 0; }, "stride_d",
        "stride_d = 0: must be >= 200, items of D may not overlap"},
       {[](auto& p) { p.d.batch_stride = 199; }, "stride_d",
        "stride_d = 199: must be >= 200, items of D may not overlap"},
       {[](auto& p) { p.d.ld = 25, p.d.batch_stride = 244; }, "stride_d",
        "stride_d = 244: must be >= 245, items of D may not overlap"}},
      StatusCode::kInvalidArgument);
}

TEST(Normalize, RefusesAlignments) {
  ExpectRefused({{[](auto& p) { p.a.align_bytes = 0; }, "align_a",
                  "align_a = 0: must be a power of two from 2 to 4096"},
                 {[](auto& p) { p.a.align_bytes = 1; }, "align_a",
                  "align_a = 1: must be a power of two from 2 to 4096"},
                 {[](auto& p) { p.b.align_bytes = 24; }, "align_b",
                  "align_b = 24: must be a power of two from 2 to 4096"},
                 {[](auto& p) { p.c.align_bytes = -16; }, "align_c",
                  "align_c = -16: must be a power of two from 2 to 4096"},
                 {[](auto& p) { p.d.align_bytes = 8192; }, "align_d",
                  "align_d = 8192: must be a power of two from 2 to 4096"},
                 {[](auto& p) {
                    SetTypes(p, DType::kF64, DType::kF64, DType::kF64);
                    p.d.align_bytes = 4;
                  },
                  "align_d", "align_d = 4: must be a power of two from 8 to 4096"}},
                StatusCode::kInvalidArgument);
}

TEST(Normalize, RefusesTypesOutsideTheTable) {
  using enum DType;
  ExpectRefused({{[](auto& p) { p.a.type = p.b.type = kS32; }, "dtype",
                  "dtype = s32: must be f64, f32, tf32, f16, bf16, e4m3, e5m2 or s8"},
                 {[](auto& p) { p.b.type = kF16; }, "dtype",
                  "dtype = bf16 x f16: A and B must have the same type"},
                 {[](auto& p) { p.a.type = kE4m3; }, "dtype",
                  "dtype = e4m3 x bf16: A and B must have the same type"},
                 {[](auto& p) { p.acc = kF16; }, "acc", "acc = f16: must be f32 for dtype bf16"},
                 {[](auto& p) { SetTypes(p, kF16, kF64, kF16); }, "acc",
                  "acc = f64: must be f32 or f16 for dtype f16"},
                 {[](auto& p) { SetTypes(p, kF64, kF32, kF64); }, "acc",
                  "acc = f32: must be f64 for dtype f64"},
                 {[](auto& p) { SetTypes(p, kS8, kF32, kS32); }, "acc",
                  "acc = f32: must be s32 for dtype s8"},
                 {[](auto& p) { p.d.type = kF16; }, "out_dtype",
                  "out_dtype = f16: must be f32 or bf16 for dtype bf16"},
                 {[](auto& p) { SetTypes(p, kTf32, kF32, kTf32); }, "out_dtype",
                  "out_dtype = tf32: must be f32 for dtype tf32"},
                 {[](auto& p) { SetTypes(p, kE4m3, kF32, kF64); }, "out_dtype",
                  "out_dtype = f64: must be f32, f16, bf16, e4m3 or e5m2 for dtype e4m3"},
                 {[](auto& p) { p.c.type = kF64; }, "c_dtype",
                  "c_dtype = f64: must be f32 or bf16 for dtype bf16"}},
                StatusCode::kInvalidArgument);
}

TEST(Normalize, RefusesUnknownActivations) {
  const std::string rule = ": must be one of none, relu, gelu_erf, gelu_tanh, silu";
  ExpectRefused({{[](auto& p) { p.epilogue.activation = "swish"; }, "act", "act = swish" + rule},
                 {[](auto& p) { p.epilogue.activation = ""; }, "act", "act = " + rule}},
                StatusCode::kInvalidArgument);
}

TEST(Normalize, SaysWhatIsNotImplementedYet) {
  using enum DType;
  ExpectRefused({{[](auto& p) { SetTypes(p, kF16, kF16, kF16); }, "acc",
                  "acc = f16: not implemented yet; f32 is"},
                 {[](auto& p) { p.epilogue.scale = ScaleKind::kBlock128; }, "scale",
                  "scale = block128: not implemented yet; none, tensor and row-col are"}},
                StatusCode::kUnimplemented);
}

TEST(Normalize, NothingIsScaledWhereNothingIsMultiplied) {
  GemmProblem problem = Valid();
  problem.epilogue.scale = ScaleKind::kRowCol;
  EXPECT_EQ(Normalize(problem)->epilogue.scale, ScaleKind::kRowCol);
  problem.alpha = ScalarKind::kZero;
  EXPECT_EQ(Normalize(problem)->epilogue.scale, ScaleKind::kNone);
}

// Whether a request is wrong does not depend on what is implemented.
TEST(Normalize, AWrongFieldComesBeforeAMissingFeature) {
  ExpectRefused({{[](auto& p) {
                    p.epilogue.scale = ScaleKind::kBlock128;
                    p.d.ld = 1;
                  },
                  "ldd", "ldd = 1: must be >= 20"}},
                StatusCode::kInvalidArgument);
}

TEST(Normalize, AcceptsEveryImplementedTypeRow) {
  using enum DType;

  struct Row {
    DType input, accumulate, output;
  };

  for (const Row& row : {Row{kF64, kF64, kF64}, Row{kF32, kF32, kF32}, Row{kTf32, kF32, kF32},
                         Row{kF16, kF32, kF16}, Row{kF16, kF32, kF32}, Row{kBf16, kF32, kBf16},
                         Row{kBf16, kF32, kF32}, Row{kS8, kS32, kS32}, Row{kS8, kS32, kS8},
                         Row{kE4m3, kF32, kE5m2}, Row{kE5m2, kF32, kBf16}}) {
    GemmProblem p = Valid();
    SetTypes(p, row.input, row.accumulate, row.output);
    p.epilogue = {.bias = BiasKind::kCol, .activation = "relu"};
    EXPECT_TRUE(Normalize(p).ok()) << Normalize(p).status().ToString();
  }
}

TEST(Normalize, RefusesProductsBeyond63Bits) {
  ExpectRefused({{[](auto& p) { p.m = p.n = kHuge; }, "n",
                  "n = 1099511627776: 2*m*n*k*batch must be less than 2^63"},
                 {[](auto& p) { p.m = p.k = kHuge, p.n = 0; }, "lda",
                  "lda = 1099511627776: A must span less than 2^63 bytes"},
                 {[](auto& p) { p.a.ld = std::int64_t{1} << 59U, p.batch = 1; }, "lda",
                  "lda = 576460752303423488: A must span less than 2^63 bytes"},
                 {[](auto& p) { p.d.batch_stride = std::int64_t{1} << 61U; }, "stride_d",
                  "stride_d = 2305843009213693952: D must span less than 2^63 bytes"}},
                StatusCode::kInvalidArgument);
}

TEST(Normalize, SingleLinesArePacked) {
  GemmProblem p = Valid();
  p.m = 1;
  p.a.ld = 100;
  p.d.ld = 64;
  p.c.major = Major::kCol;
  p.c.ld = 7;
  const GemmProblem q = Normalize(p).value();
  EXPECT_EQ(q.a.ld, 30);
  EXPECT_EQ(q.d.ld, 20);
  EXPECT_EQ(q.c.ld, 7);  // 20 columns of one element
  // An unset stride follows the leading dimension that the caller gave.
  EXPECT_EQ(q.a.batch_stride, 100);
}

TEST(Normalize, StridesOfASingleItemArePacked) {
  for (const std::int64_t batch : {0, 1}) {
    GemmProblem p = Valid();
    p.batch = batch;
    p.a.batch_stride = 0;
    p.b.batch_stride = std::int64_t{1} << 62U;
    p.d.batch_stride = 0;
    const GemmProblem q = Normalize(p).value();
    EXPECT_EQ(q.a.batch_stride, 300);
    EXPECT_EQ(q.b.batch_stride, 600);
    EXPECT_EQ(q.d.batch_stride, 200);
  }
}

TEST(Normalize, BetaZeroMakesCTheSameAsD) {
  GemmProblem p = Valid();
  p.beta = ScalarKind::kZero;
  p.c = {.type = DType::kS32, .major = Major::kCol, .ld = 99, .batch_stride = 0};
  p.d.ld = 32;
  const GemmProblem q = Normalize(p).value();
  EXPECT_EQ(q.c, q.d);
  EXPECT_EQ(q.d.ld, 32);
  EXPECT_EQ(q.d.batch_stride, 320);
}

TEST(Normalize, OperandsThatAreNeverReadArePacked) {
  GemmProblem packed = Valid();
  packed.alpha = ScalarKind::kZero;
  GemmProblem padded = packed;
  padded.a = {.type = DType::kBf16, .ld = 64, .batch_stride = 0, .align_bytes = 2};
  padded.b = {.type = DType::kBf16, .ld = 77, .batch_stride = 9999, .align_bytes = 256};
  EXPECT_EQ(Normalize(padded).value(), Normalize(packed).value());
  // No products: alpha means nothing either.
  padded.k = packed.k = 0;
  padded.alpha = ScalarKind::kOther;
  EXPECT_EQ(Normalize(padded).value(), Normalize(packed).value());
}

TEST(Normalize, NothingMattersWhereThereIsNoOutput) {
  GemmProblem packed = Valid();
  packed.m = 0;
  GemmProblem padded = packed;
  for (Operand* op : {&padded.a, &padded.b, &padded.c, &padded.d}) {
    op->ld = 64;
    op->batch_stride = 0;
  }
  EXPECT_EQ(Normalize(padded).value(), Normalize(packed).value());
}

TEST(Normalize, FastAccumulationOnlyExistsForFp8) {
  GemmProblem p = Valid();
  p.fp8_fast_accumulate = true;
  EXPECT_EQ(Normalize(p).value(), Normalize(Valid()).value());
}

TEST(Normalize, KeepsWhatMatters) {
  GemmProblem p = Valid();
  p.a = {
      .type = DType::kBf16, .major = Major::kCol, .ld = 48, .batch_stride = 0, .align_bytes = 128};
  p.b.batch_stride = 7;  // items of an input may overlap
  p.d.batch_stride = 4096;
  const GemmProblem q = Normalize(p).value();
  EXPECT_EQ(q.a, p.a);
  EXPECT_EQ(q.b.batch_stride, 7);
  EXPECT_EQ(q.d.batch_stride, 4096);
}

}  // namespace
}  // namespace tw
