// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/stopping_rule.h"

#include <algorithm>

#include "tuner/measure/statistics.h"

namespace tw {

void StoppingRule::Add(double sample_ns, double elapsed_ns) {
  samples_.push_back(sample_ns);
  elapsed_ns_ += elapsed_ns;
}

bool StoppingRule::Finished() const {
  constexpr int kLeast = 3;
  const int count = static_cast<int>(samples_.size());
  if (count >= limits_.max_samples)
    return true;
  if (count >= std::min(kLeast, limits_.min_samples) && elapsed_ns_ >= limits_.max_ns)
    return true;
  if (count == 0 || count < limits_.min_samples)
    return false;
  const Interval interval = MedianInterval(samples_);
  return interval.high - interval.low <= 2 * limits_.relative_half_width * Median(samples_);
}

}  // namespace tw
