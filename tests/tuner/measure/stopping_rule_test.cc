// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/stopping_rule.h"

#include <gtest/gtest.h>

namespace tw {
namespace {

constexpr StoppingLimits kLimits{.min_samples = 7, .max_samples = 31, .max_ns = 1e6};

int SamplesUntilFinished(double spread, double elapsed_ns, const StoppingLimits& limits) {
  StoppingRule rule(limits);
  while (!rule.Finished()) {
    const double sign = rule.samples().size() % 2 == 0 ? 1 : -1;
    rule.Add(100 * (1 + sign * spread), elapsed_ns);
  }
  return static_cast<int>(rule.samples().size());
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

TEST(StoppingRule, NothingAddedIsNotFinished) {
  EXPECT_FALSE(StoppingRule(kLimits).Finished());
}

}  // namespace
}  // namespace tw
