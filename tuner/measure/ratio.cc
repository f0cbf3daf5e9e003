// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/ratio.h"

#include <cstddef>
#include <vector>

#include "codegen/core/check.h"
#include "tuner/measure/statistics.h"

namespace tw {

RatioEstimate EstimateRatio(std::span<const double> theirs_ns, std::span<const double> ours_ns) {
  TW_CHECK(theirs_ns.size() == ours_ns.size());
  if (theirs_ns.empty())
    return {};
  std::vector<double> ratios;
  ratios.reserve(theirs_ns.size());
  for (std::size_t i = 0; i < theirs_ns.size(); ++i) {
    TW_CHECK(theirs_ns[i] > 0 && ours_ns[i] > 0);
    ratios.push_back(theirs_ns[i] / ours_ns[i]);
  }
  const Interval interval = MedianInterval(ratios);
  return {.ratio = Median(ratios),
          .low = interval.low,
          .high = interval.high,
          .pairs = static_cast<int>(ratios.size())};
}

ComparisonVerdict Judge(const RatioEstimate& estimate) {
  // The inverse, not 1 - resolution: whose time is on top must not matter.
  constexpr double kUp = 1 + kRatioResolution;
  constexpr double kDown = 1 / kUp;
  if (estimate.pairs < kFewestPairs)
    return ComparisonVerdict::kUndecided;
  if (estimate.low >= kUp)
    return ComparisonVerdict::kFaster;
  if (estimate.high <= kDown)
    return ComparisonVerdict::kSlower;
  if (estimate.high - estimate.low > kWidestInterval)
    return ComparisonVerdict::kUndecided;
  if (estimate.low > 1 && estimate.ratio >= kUp)
    return ComparisonVerdict::kFaster;
  if (estimate.high < 1 && estimate.ratio <= kDown)
    return ComparisonVerdict::kSlower;
  return ComparisonVerdict::kTie;
}

}  // namespace tw
