// The ratio of two times that were taken in turns, and what may be said of it. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "codegen/core/baseline.h"

namespace tw {

// Pairs from which an interval of the median says something: 11 of them repeat a ratio of equal
// kernels within 0.1 % on an H200.
inline constexpr int kFewestPairs = 11;

// A difference below this is no difference: the same pair of kernels, compared again on another
// machine of the same type, moves by as much.
inline constexpr double kRatioResolution = 0.005;

// No verdict on an interval wider than this, unless it lies clear of the resolution all the same.
inline constexpr double kWidestInterval = 0.02;

// theirs / ours, pair by pair: the median and its 95 % interval of order statistics. Times in any
// common unit. Requires: as many of one as of the other; all above 0. No pairs: all zeros.
RatioEstimate EstimateRatio(std::span<const double> theirs_ns, std::span<const double> ours_ns);

ComparisonVerdict Judge(const RatioEstimate& estimate);

}  // namespace tw
