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

// The sample at the rank of that share, rounded down: 0 the least, 1 the greatest. Requires: not
// empty; 0 <= share <= 1.
double Quantile(std::span<const double> samples, double share);

// How far from the median an outlier lies: 5 % of the median and five robust standard deviations
// (1.4826 MAD). Requires: not empty.
double OutlierDistance(std::span<const double> samples);

// Change per sample of a series: the median of the slopes between all pairs (Theil and Sen), which
// a quarter of wild samples does not move. 0 for fewer than two.
double Drift(std::span<const double> samples);

// The samples without outliers, in their order: those above the median by more than
// OutlierDistance. Nothing makes a kernel too fast.
std::vector<double> WithoutOutliers(std::span<const double> samples);

}  // namespace tw
