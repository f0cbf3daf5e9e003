// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/stopping_rule.h"

#include <vector>

#include <gtest/gtest.h>

namespace tw {
namespace {

constexpr StoppingLimits kLimits{.min_samples = 7, .max_samples = 31, .max_ns = 1e6};

int SamplesUntilFinished(double spread, double elapsed_ns, const StoppingLimits& limits) {
  std::vector<double> samples;
  while (!IsEnough(limits, samples, elapsed_ns * static_cast<double>(samples.size()))) {
    const double sign = samples.size() % 2 == 0 ? 1 : -1;
    samples.push_back(100 * (1 + sign * spread));
  }
  return static_cast<int>(samples.size());
}

TEST(StoppingRule, SteadySamplesStopAtTheMinimum) {
  EXPECT_EQ(SamplesUntilFinished(0.004, 1, kLimits), 7);
}

TEST(StoppingRule, ScatteredSamplesGoOnToTheMaximum) {
  EXPECT_EQ(SamplesUntilFinished(0.02, 1, kLimits), 31);
}

TEST(StoppingRule, TimeEndsIt) {
  EXPECT_EQ(SamplesUntilFinished(0.02, 1e5, kLimits), 10);
}

TEST(StoppingRule, ASlowKernelGetsThreeSamples) {
  EXPECT_EQ(SamplesUntilFinished(0.02, 1e9, kLimits), 3);
}

TEST(StoppingRule, FewerThanThreeIfAskedFor) {
  StoppingLimits limits = kLimits;
  limits.min_samples = 1;
  EXPECT_EQ(SamplesUntilFinished(0.02, 1e9, limits), 1);
}

TEST(StoppingRule, NothingIsNotEnough) {
  EXPECT_FALSE(IsEnough(kLimits, {}, 0));
}

}  // namespace
}  // namespace tw
