// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/inputs.h"

#include <algorithm>

namespace tw {
namespace {

double ScalarValue(ScalarKind kind, double other) {
  switch (kind) {
    case ScalarKind::kZero:
      return 0;
    case ScalarKind::kOne:
      return 1;
    case ScalarKind::kOther:
      return other;
  }
  TW_CHECK(false);
}

bool IsIntegerProduct(const GemmProblem& problem) {
  return Info(problem.acc).integer;
}

MatrixView View(const Operand& op, std::int64_t rows, std::int64_t cols, std::int64_t batch) {
  const std::int64_t items = op.batch_stride == 0 ? std::min<std::int64_t>(batch, 1) : batch;
  return {nullptr, rows, cols, items, op.ld, op.batch_stride, op.major == Major::kRow ? 1 : 0};
}

MatrixView Vector(std::int64_t length) {
  return {nullptr, 1, length, 1, std::max<std::int64_t>(length, 1), length, 1};
}

MatrixView BiasView(const GemmProblem& problem) {
  std::int64_t length = 0;
  switch (problem.epilogue.bias) {
    case BiasKind::kNone:
      break;
    case BiasKind::kCol:
      length = problem.n;
      break;
    case BiasKind::kRow:
      length = problem.m;
      break;
  }
  return Vector(length);
}

// One value, or one for each of `each` rows or columns.
MatrixView ScaleView(const GemmProblem& problem, std::int64_t each) {
  switch (problem.epilogue.scale) {
    case ScaleKind::kNone:
      return Vector(0);
    case ScaleKind::kTensor:
      return Vector(1);
    case ScaleKind::kRowCol:
      return Vector(each);
    case ScaleKind::kBlock128:
      break;  // refused by Normalize
  }
  TW_CHECK(false);
}

}  // namespace

double AlphaValue(const GemmProblem& problem) {
  return ScalarValue(problem.alpha, IsIntegerProduct(problem) ? 2 : 1.25);
}

double BetaValue(const GemmProblem& problem) {
  return ScalarValue(problem.beta, IsIntegerProduct(problem) ? 3 : 0.75);
}

MatrixView ViewOf(const GemmProblem& p, Part part) {
  switch (part) {
    case Part::kA:
      return View(p.a, p.m, p.k, p.batch);
    case Part::kB:
      return View(p.b, p.k, p.n, p.batch);
    case Part::kC:
      return View(p.c, p.m, p.n, p.batch);
    case Part::kBias:
      return BiasView(p);
    case Part::kScaleA:
      return ScaleView(p, p.m);
    case Part::kScaleB:
      return ScaleView(p, p.n);
    case Part::kD:
      return View(p.d, p.m, p.n, p.batch);
  }
  TW_CHECK(false);
}

DType TypeOf(const GemmProblem& p, Part part) {
  switch (part) {
    case Part::kA:
      return p.a.type;
    case Part::kB:
      return p.b.type;
    case Part::kC:
      return p.c.type;
    case Part::kBias:
      return BiasType(p);
    case Part::kScaleA:
    case Part::kScaleB:
      return DType::kF32;
    case Part::kD:
      return p.d.type;
  }
  TW_CHECK(false);
}

std::int64_t AlignmentOf(const GemmProblem& p, Part part) {
  switch (part) {
    case Part::kA:
      return p.a.align_bytes;
    case Part::kB:
      return p.b.align_bytes;
    case Part::kC:
      return p.c.align_bytes;
    case Part::kBias:  // the problem promises no more than a whole element
      return BytesOf(BiasType(p));
    case Part::kScaleA:
    case Part::kScaleB:
      return BytesOf(DType::kF32);
    case Part::kD:
      return p.d.align_bytes;
  }
  TW_CHECK(false);
}

bool IsUsed(const GemmProblem& p, Part part) {
  switch (part) {
    case Part::kA:
    case Part::kB:
      return p.alpha != ScalarKind::kZero && p.k > 0;
    case Part::kC:
      return p.beta != ScalarKind::kZero;
    case Part::kBias:
      return p.epilogue.bias != BiasKind::kNone;
    case Part::kScaleA:
    case Part::kScaleB:
      return p.epilogue.scale != ScaleKind::kNone && p.alpha != ScalarKind::kZero;
    case Part::kD:
      return true;
  }
  TW_CHECK(false);
}

bool HasBuffer(const GemmProblem& p, Part part) {
  return IsUsed(p, part) || part == Part::kA || part == Part::kB || part == Part::kBias;
}

std::int64_t SpanOf(const MatrixView& view) {
  if (view.Count() == 0)
    return 0;
  return (view.batch - 1) * view.stride + (view.Lines() - 1) * view.ld + view.LineLength();
}

std::string_view Name(FillPattern pattern) {
  switch (pattern) {
    case FillPattern::kNormal:
      return "normal";
    case FillPattern::kIntegers:
      return "integer";
    case FillPattern::kCancelling:
      return "cancelling";
    case FillPattern::kMagnitudes:
      return "scaled";
    case FillPattern::kOnes:
      return "all-ones";
  }
  TW_CHECK(false);
}

namespace {

// Whether the accumulator holds every sum of the pattern's terms exactly.
bool SumsAreExact(const GemmProblem& problem, FillPattern pattern) {
  // 2 * 2 * K plus the epilogue, in quarters, stays far below 2^24 and within f16's range.
  constexpr std::int64_t kMaxIntegerK = 4096;
  // K, times scalars and scales, and the epilogue in quarters of it: about 2^24.
  constexpr std::int64_t kMaxOnesK = 1 << 20;
  // What tensor cores that keep 14 bits count to.
  constexpr std::int64_t kMaxFastOnesK = 1 << 13;
  if (pattern == FillPattern::kIntegers)
    return problem.k <= kMaxIntegerK;
  return pattern == FillPattern::kOnes &&
         problem.k <= (problem.fp8_fast_accumulate ? kMaxFastOnesK : kMaxOnesK);
}

}  // namespace

bool IsExact(const GemmProblem& problem, FillPattern pattern) {
  const std::string& activation = problem.epilogue.activation;
  return SumsAreExact(problem, pattern) && (activation == "none" || activation == "relu");
}

std::vector<FillPattern> PatternsFor(const GemmProblem& problem) {
  std::vector<FillPattern> patterns{FillPattern::kNormal};
  // Also under a curved activation: tf32 operands that the vendor's library may not round are
  // judged on nothing else.
  if (SumsAreExact(problem, FillPattern::kIntegers))
    patterns.push_back(FillPattern::kIntegers);
  if (!IsUsed(problem, Part::kA))
    return patterns;
  if (problem.k > 1)
    patterns.push_back(FillPattern::kCancelling);
  if (!IsIntegerProduct(problem))  // whose tolerance is 0 in any scale
    patterns.push_back(FillPattern::kMagnitudes);
  if (IsExact(problem, FillPattern::kOnes))
    patterns.push_back(FillPattern::kOnes);
  return patterns;
}

std::uint64_t SeedOf(std::uint64_t seed, Part part) {
  // Copies of a part count up from its seed (tw/verify/fill.cuh), in steps of 7919.
  return (seed << 8U) * 1'000'003U + static_cast<std::uint64_t>(part);
}

GemmParams ParamsOf(const GemmProblem& p) {
  GemmParams params{};
  params.m = p.m;
  params.n = p.n;
  params.k = p.k;
  params.batch = p.batch;
  params.lda = p.a.ld;
  params.ldb = p.b.ld;
  params.ldc = p.c.ld;
  params.ldd = p.d.ld;
  params.stride_a = p.a.batch_stride;
  params.stride_b = p.b.batch_stride;
  params.stride_c = p.c.batch_stride;
  params.stride_d = p.d.batch_stride;
  params.alpha = AlphaValue(p);
  params.beta = BetaValue(p);
  return params;
}

}  // namespace tw
