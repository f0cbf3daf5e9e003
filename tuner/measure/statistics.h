// Order statistics of timing samples. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace tw {

struct Interval {
  double low = 0;
  double high = 0;
};

// Mean of the two middle values for an even count. Requires: not empty.
double Median(std::span<const double> samples);

// Median of the distances from the median, not scaled. Requires: not empty.
double MedianAbsoluteDeviation(std::span<const double> samples);

// Interval of order statistics that holds the median with a probability of at least 95 %, by the
// binomial distribution; the whole range for fewer than six samples, which no such interval holds.
// Requires: not empty.
Interval MedianInterval(std::span<const double> samples);

// The samples without outliers, in their order: those above the median by more than 5 % and by more
// than five robust standard deviations (1.4826 MAD). Nothing makes a kernel too fast.
std::vector<double> WithoutOutliers(std::span<const double> samples);

}  // namespace tw
