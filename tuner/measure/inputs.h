// What the judged kernels compute on: scalars, shapes, seeds, poison.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "codegen/core/gemm_problem.h"
#include "tw/verify/params.h"

namespace tw {

// Value of a scalar whose kind is "other". Integers for s8 products, whose results must be exact;
// else small binary fractions, so that small integers stay exact.
double AlphaValue(const GemmProblem& problem);
double BetaValue(const GemmProblem& problem);

// Fills every byte that no element owns, and D and the workspace before a run: all ones is a NaN of
// every floating type; integers get a pattern that is neither 0 nor -1.
inline constexpr std::uint8_t kFloatPoison = 0xff;
inline constexpr std::uint8_t kIntegerPoison = 0xa5;

inline std::uint8_t PoisonOf(DType type) {
  return Info(type).integer ? kIntegerPoison : kFloatPoison;
}

// The parts of a problem that lie in memory. Where beta is 0 there is a C to point at, which must
// not matter.
enum class Part : std::uint8_t { kA, kB, kC, kBias, kScaleA, kScaleB, kD };

inline constexpr std::array<Part, 7> kAllParts{Part::kA,      Part::kB,      Part::kC, Part::kBias,
                                               Part::kScaleA, Part::kScaleB, Part::kD};
// What a candidate reads; a buffer for each, empty where there is none.
inline constexpr std::array<Part, 6> kOperandParts{Part::kA,    Part::kB,      Part::kC,
                                                   Part::kBias, Part::kScaleA, Part::kScaleB};

// Where a part's elements lie relative to its first one; data is null. The distinct items of a
// broadcast batch only. A problem without bias has an empty one.
MatrixView ViewOf(const GemmProblem& problem, Part part);

// Whether a judged candidate gets a buffer for the operand: C and scales where they are read.
bool HasBuffer(const GemmProblem& problem, Part part);

DType TypeOf(const GemmProblem& problem, Part part);

// Alignment of the first element that the problem promises, in bytes.
std::int64_t AlignmentOf(const GemmProblem& problem, Part part);

// Whether the kernel may read it (write, for D). What is not used stays poison.
bool IsUsed(const GemmProblem& problem, Part part);

// Elements from the first to one past the last.
std::int64_t SpanOf(const MatrixView& view);

// "normal", "integer", "cancelling", "scaled", "all-ones".
std::string_view Name(FillPattern pattern);

// Whether every sum is exact with this pattern, so that D must be the rounded exact value.
bool IsExact(const GemmProblem& problem, FillPattern pattern);

// The patterns that say something about the problem, the most telling first.
std::vector<FillPattern> PatternsFor(const GemmProblem& problem);

// Distinct for every part.
std::uint64_t SeedOf(std::uint64_t seed, Part part);

// Sizes, strides and scalars; pointers are null.
GemmParams ParamsOf(const GemmProblem& problem);

}  // namespace tw
