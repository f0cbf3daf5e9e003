// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/stopping_rule.h"

#include <algorithm>

#include "tuner/measure/statistics.h"

namespace tw {

bool IsEnough(const StoppingLimits& limits, std::span<const double> samples, double elapsed_ns) {
  constexpr int kLeast = 3;
  const int count = static_cast<int>(samples.size());
  if (count >= limits.max_samples)
    return true;
  if (count >= std::min(kLeast, limits.min_samples) && elapsed_ns >= limits.max_ns)
    return true;
  if (count == 0 || count < limits.min_samples)
    return false;
  const Interval interval = MedianInterval(samples);
  return interval.high - interval.low <= 2 * limits.relative_half_width * Median(samples);
}

}  // namespace tw
