// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/error_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "codegen/core/activation.h"

namespace tw {
namespace {

constexpr double kNearest = 12;          // c0
constexpr double kNearestTwice = 18;     // c0 where the reference has the accumulator's precision
constexpr double kTruncated16 = 0.5;     // c1 of f16 and bf16 products
constexpr double kTruncatedTf32 = 1;     // c1 of tf32 products
constexpr double kPromotedFp8 = 2.4e-3;  // over sqrt(K)
constexpr double kBlockOfFp8 = 0.08;     // over K, of 128 at least
constexpr double kFastFp8 = 5e-4;

const Activation& ActivationOf(const GemmProblem& problem) {
  const Activation* activation = FindActivation(problem.epilogue.activation);
  TW_CHECK(activation != nullptr);
  return *activation;
}

// s32 sums are finished in double, which is the reference's precision: what differs are roundings
// of both, far below any integer's.
double ActivationRounding(const GemmProblem& problem) {
  constexpr double kTwice = 2;  // the reference's own, where it computes in the same type
  const double rounding = ActivationOf(problem).rounding;
  if (Info(problem.acc).integer)
    return kTwice * rounding * UnitRoundoff(DType::kF64);
  return (problem.acc == DType::kF64 ? kTwice : 1) * rounding * UnitRoundoff(problem.acc);
}

// Of 8-bit floats, beside the roundings of fp32.
double Fp8Sums(const GemmProblem& problem) {
  const double k = std::max(1.0, static_cast<double>(problem.k));
  const double promoted = kPromotedFp8 / std::sqrt(k) + kBlockOfFp8 / std::max(128.0, k);
  return problem.fp8_fast_accumulate ? std::max(promoted, kFastFp8) : promoted;
}

double Accumulated(const GemmProblem& problem) {
  const double eps = UnitRoundoff(problem.acc);
  const double root_k = std::sqrt(static_cast<double>(problem.k));
  switch (problem.a.type) {
    case DType::kF64:
      return eps * kNearestTwice;
    case DType::kF32:
      return eps * kNearest;
    case DType::kTf32:
      return eps * (kNearest + kTruncatedTf32 * root_k);
    case DType::kF16:
    case DType::kBf16:
      return eps * (kNearest + kTruncated16 * root_k);
    case DType::kE4m3:
    case DType::kE5m2:
      return eps * (kNearest + kTruncated16 * root_k) + Fp8Sums(problem);
    case DType::kS8:
    case DType::kS32:
      return 0;
  }
  TW_CHECK(false);
}

// An integer D is exact unless something makes a fraction: a scale, a bias or C in floats, or a
// curved activation. Scalars are integers there (inputs.h).
bool RoundsToIntegers(const GemmProblem& problem) {
  const bool bias = problem.epilogue.bias != BiasKind::kNone && !Info(BiasType(problem)).integer;
  const bool c = problem.beta != ScalarKind::kZero && !Info(problem.c.type).integer;
  const bool scale = problem.epilogue.scale != ScaleKind::kNone;
  return Info(problem.d.type).integer && (bias || c || scale || ActivationOf(problem).rounding > 0);
}

// Room for the rounding of the values themselves, in double, at a tie.
constexpr double kHalfUnit = 0.5 + 1e-6;

}  // namespace

ErrorBound BoundForIntegers(const GemmProblem& problem) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const DType type = problem.d.type;
  // f32 storage of tf32 results keeps the whole fp32 mantissa.
  const DTypeInfo& stored = Info(type == DType::kTf32 ? DType::kF32 : type);
  ErrorBound bound{.accumulate = 0,
                   .mantissa_bits = stored.integer ? -1 : stored.mantissa_bits,
                   .min_exponent = stored.min_exponent,
                   .max_finite = MaxFinite(type),
                   .low = -kInfinity,
                   .high = kInfinity,
                   .half_unit = RoundsToIntegers(problem) ? kHalfUnit : 0};
  if (Saturates(type)) {
    bound.high = bound.max_finite;
    bound.low = stored.integer ? -bound.max_finite - 1 : -bound.max_finite;
  }
  return bound;
}

ErrorBound BoundForNormal(const GemmProblem& problem) {
  ErrorBound bound = BoundForIntegers(problem);
  bound.accumulate =
      ActivationOf(problem).slope * Accumulated(problem) + ActivationRounding(problem);
  return bound;
}

double ChecksumBound(const ErrorBound& bound, double size, double rounding, std::int64_t terms) {
  constexpr double kDeviations = 8;
  const double accumulated = bound.accumulate * size;
  const double part = std::min(1.0, kDeviations / std::sqrt(static_cast<double>(terms)));
  // The checksum's own sums, in double: they matter where D is f64 only. Exact operands have none.
  const double own = bound.accumulate > 0 ? std::ldexp(size, -50) : 0;
  return part * accumulated + kDeviations * std::sqrt(rounding / 3) + own;
}

}  // namespace tw
