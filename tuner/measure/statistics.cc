// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "codegen/core/check.h"

namespace tw {
namespace {

constexpr double kTail = 0.025;  // on either side of a 95 % interval

std::vector<double> Sorted(std::span<const double> samples) {
  TW_CHECK(!samples.empty());
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double MiddleOf(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// The largest r with P(Binomial(n, 1/2) < r) <= kTail: the r-th smallest sample is a lower limit.
std::size_t LowerRank(std::size_t n) {
  double probability = std::pow(0.5, static_cast<double>(n));  // of exactly r successes
  double below = 0;
  std::size_t r = 0;
  while (r < n && below + probability <= kTail) {
    below += probability;
    probability *= static_cast<double>(n - r) / static_cast<double>(r + 1);
    ++r;
  }
  return r;
}

}  // namespace

double Median(std::span<const double> samples) {
  return MiddleOf(Sorted(samples));
}

double MedianAbsoluteDeviation(std::span<const double> samples) {
  const double median = Median(samples);
  std::vector<double> distances;
  distances.reserve(samples.size());
  for (double sample : samples)
    distances.push_back(std::abs(sample - median));
  return Median(distances);
}

Interval MedianInterval(std::span<const double> samples) {
  const std::vector<double> sorted = Sorted(samples);
  const std::size_t rank = std::max<std::size_t>(LowerRank(sorted.size()), 1);
  return {sorted[rank - 1], sorted[sorted.size() - rank]};
}

double Quantile(std::span<const double> samples, double share) {
  TW_CHECK(share >= 0 && share <= 1);
  const std::vector<double> sorted = Sorted(samples);
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

double OutlierDistance(std::span<const double> samples) {
  constexpr double kRelative = 0.05;
  constexpr double kDeviations = 5 * 1.4826;
  return std::max(kRelative * Median(samples), kDeviations * MedianAbsoluteDeviation(samples));
}

double Drift(std::span<const double> samples) {
  std::vector<double> slopes;
  for (std::size_t j = 1; j < samples.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i)
      slopes.push_back((samples[j] - samples[i]) / static_cast<double>(j - i));
  }
  return slopes.empty() ? 0 : Median(slopes);
}

std::vector<double> WithoutOutliers(std::span<const double> samples) {
  std::vector<double> kept;
  if (samples.empty())
    return kept;
  const double limit = Median(samples) + OutlierDistance(samples);
  for (double sample : samples) {
    if (sample <= limit)
      kept.push_back(sample);
  }
  return kept;
}

}  // namespace tw
