// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/statistics.h"

#include <numeric>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tw {
namespace {

std::vector<double> OneTo(int n) {
  std::vector<double> samples(static_cast<std::size_t>(n));
  std::iota(samples.rbegin(), samples.rend(), 1.0);  // order must not matter
  return samples;
}

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(Median(std::vector{3.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(Median(std::vector{4.0, 1.0, 2.0, 3.0}), 2.5);
  EXPECT_EQ(Median(std::vector{7.0}), 7.0);
}

TEST(Statistics, MedianAbsoluteDeviation) {
  EXPECT_EQ(MedianAbsoluteDeviation(std::vector{1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0}), 1.0);
  EXPECT_EQ(MedianAbsoluteDeviation(std::vector{5.0, 5.0, 5.0}), 0.0);
}

// Ranks of the usual tables of the sign test at 95 %.
TEST(Statistics, MedianIntervalTakesTheBinomialRanks) {
  struct Row {
    int n;
    double low, high;
  };

  for (const Row& row : {Row{1, 1, 1}, Row{5, 1, 5}, Row{6, 1, 6}, Row{8, 1, 8}, Row{9, 2, 8},
                         Row{10, 2, 9}, Row{20, 6, 15}, Row{31, 10, 22}}) {
    const Interval interval = MedianInterval(OneTo(row.n));
    EXPECT_EQ(interval.low, row.low) << row.n;
    EXPECT_EQ(interval.high, row.high) << row.n;
  }
}

// The order statistics of n draws hold the true median as often as the binomial law says.
TEST(Statistics, MedianIntervalCoversTheMedian) {
  constexpr int kRuns = 2000;
  std::mt19937 random(1);
  std::lognormal_distribution<double> draw(0, 0.5);  // skewed; its median is 1
  for (int n : {7, 11, 31}) {
    int covered = 0;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<double> samples(static_cast<std::size_t>(n));
      for (double& sample : samples)
        sample = draw(random);
      const Interval interval = MedianInterval(samples);
      covered += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
    }
    EXPECT_GE(covered, 0.94 * kRuns) << n;
  }
}

TEST(Statistics, QuantileTakesARank) {
  EXPECT_EQ(Quantile(OneTo(11), 0), 1);
  EXPECT_EQ(Quantile(OneTo(11), 0.2), 3);
  EXPECT_EQ(Quantile(OneTo(11), 1), 11);
  EXPECT_EQ(Quantile(std::vector{5.0}, 0.2), 5);
}

TEST(Statistics, DriftIsTheMedianSlope) {
  EXPECT_EQ(Drift({}), 0);
  EXPECT_EQ(Drift(std::vector{3.0}), 0);
  EXPECT_EQ(Drift(std::vector{1.0, 3.0, 5.0, 7.0}), 2);
  // One wild sample of eight.
  EXPECT_EQ(Drift(std::vector{1.0, 2.0, 3.0, 400.0, 5.0, 6.0, 7.0, 8.0}), 1);
}

TEST(Statistics, OutliersAreSlowAndFarFromTheRest) {
  const std::vector<double> samples{100, 101, 99, 100, 180, 100, 60};
  EXPECT_THAT(WithoutOutliers(samples), testing::ElementsAre(100, 101, 99, 100, 100, 60));
}

TEST(Statistics, SmallScatterIsNoOutlier) {
  // Beyond five deviations of a very steady series, but within 5 %.
  const std::vector<double> samples{100, 100, 100, 100, 104};
  EXPECT_EQ(WithoutOutliers(samples).size(), 5U);
}

TEST(Statistics, WideScatterIsNoOutlier) {
  const std::vector<double> samples{100, 150, 200, 250, 300};
  EXPECT_EQ(WithoutOutliers(samples).size(), 5U);
}

}  // namespace
}  // namespace tw
