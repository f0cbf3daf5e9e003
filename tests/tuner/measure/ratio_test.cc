// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/ratio.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tuner/measure/round_sampler.h"

namespace tw {
namespace {

using enum ComparisonVerdict;

constexpr double kNoise = 0.002;

// Two kernels of which the second is `slow` times as long, in `rounds` turns; every time scatters
// by kNoise and drifts by `drift` a round, from the first sample of the run to the last.
struct Turns {
  std::vector<double> first, second;

  Turns(unsigned seed, double slow, int rounds, double drift = 0) : first(), second() {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(1, kNoise);
    double now = 0;
    first.resize(static_cast<std::size_t>(rounds));
    second.resize(static_cast<std::size_t>(rounds));
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i : TurnOrder(round, 2)) {
        const double time = 1000 * (1 + now) * (i == 1 ? slow : 1) * noise(random);
        (i == 1 ? second : first)[static_cast<std::size_t>(round)] = time;
        now += drift / 2;
      }
    }
  }
};

TEST(EstimateRatio, IsTheirsOverOursPairByPair) {
  const std::vector<double> theirs{2, 30, 4};
  const std::vector<double> ours{1, 10, 4};
  const RatioEstimate estimate = EstimateRatio(theirs, ours);
  EXPECT_EQ(estimate, (RatioEstimate{.ratio = 2, .low = 1, .high = 3, .pairs = 3}));
  EXPECT_EQ(EstimateRatio({}, {}), RatioEstimate{});
}

TEST(Judge, NeedsPairsAndAnInterval) {
  struct Row {
    RatioEstimate estimate;
    ComparisonVerdict verdict;
  };

  for (const Row& row : {
           Row{{1.02, 1.018, 1.022, 11}, kFaster},
           Row{{1.02, 1.018, 1.022, 10}, kUndecided},
           Row{{1.005, 1.001, 1.006, 11}, kFaster},
           Row{{1.0049, 1.003, 1.006, 11}, kTie},
           Row{{1.006, 0.9999, 1.008, 11}, kTie},
           Row{{0.99, 0.988, 0.992, 11}, kSlower},
           Row{{0.9951, 0.99, 0.999, 11}, kTie},
           Row{{1, 0.98, 1.02, 31}, kUndecided},
           Row{{1.2, 1.1, 1.3, 11}, kFaster},
           Row{{0.8, 0.7, 0.9, 11}, kSlower},
       })
    EXPECT_EQ(Judge(row.estimate), row.verdict) << row.estimate.ratio << " " << row.estimate.low;
}

TEST(Judge, DoesNotMindWhoseTimeIsOnTop) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Turns run(seed, 1.006, 11);
    const ComparisonVerdict verdict = Judge(EstimateRatio(run.second, run.first));
    const ComparisonVerdict mirrored = Judge(EstimateRatio(run.first, run.second));
    EXPECT_EQ(verdict == kFaster, mirrored == kSlower) << seed;
  }
}

TEST(Judge, FindsAPlantedPercent) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Turns run(seed, 1.01, 11);
    EXPECT_EQ(Judge(EstimateRatio(run.second, run.first)), kFaster) << seed;
    EXPECT_EQ(Judge(EstimateRatio(run.first, run.second)), kSlower) << seed;
  }
}

TEST(Judge, NeverFindsWhatIsNotThere) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const Turns run(seed, 1, 11);
    EXPECT_EQ(Judge(EstimateRatio(run.second, run.first)), kTie) << seed;
  }
}

TEST(TurnOrder, CancelsASteadyDrift) {
  // 3 % a round; with one fixed order each ratio would be off by half of that.
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Turns run(seed, 1, 30, 0.03);
    EXPECT_NEAR(EstimateRatio(run.second, run.first).ratio, 1, 0.005) << seed;
  }
}

TEST(TurnOrder, EveryContestantOnceBackwardsEveryOtherRound) {
  EXPECT_EQ(TurnOrder(0, 3), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(TurnOrder(1, 3), (std::vector<std::size_t>{2, 1, 0}));
  EXPECT_EQ(TurnOrder(2, 1), (std::vector<std::size_t>{0}));
}

}  // namespace
}  // namespace tw
