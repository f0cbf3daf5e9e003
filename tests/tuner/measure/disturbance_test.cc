// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/disturbance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tw {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

DeviceReading Reading(double clock_mhz) {
  DeviceReading reading;
  reading.conditions.sm_clock_mhz = clock_mhz;
  reading.compute_processes = 1;
  return reading;
}

Round Quiet(std::vector<double> times_ns, double clock_mhz = 1400) {
  return {.times_ns = std::move(times_ns),
          .waited_ns = 7e3,
          .elapsed_ns = 1e6,
          .before = Reading(clock_mhz),
          .after = Reading(clock_mhz)};
}

TEST(Flaw, ThrottlingOnEitherSide) {
  Round round = Quiet({100});
  EXPECT_EQ(FlawOf(round), "");
  round.after.conditions.throttle_reasons = 0x04;  // the power cap
  EXPECT_EQ(FlawOf(round), "");
  round.after.conditions.throttle_reasons = 0x20;
  EXPECT_EQ(FlawOf(round), "throttled");
}

TEST(Flaw, AWaitIsALoadUnlessTheDeviceIsKnownToBeAlone) {
  Round round = Quiet({100});
  round.waited_ns = 500e3;
  EXPECT_EQ(FlawOf(round), "");
  round.after.compute_processes = 2;
  EXPECT_EQ(FlawOf(round), "other_load");
  round.before.compute_processes = round.after.compute_processes = 0;
  EXPECT_EQ(FlawOf(round), "other_load");
  round.waited_ns = 70e3;
  EXPECT_EQ(FlawOf(round), "");
}

TEST(ScreenRounds, KeepsWhatIsQuiet) {
  const std::vector<Round> rounds(5, Quiet({100, 200}));
  const Screening screening = ScreenRounds(rounds);
  EXPECT_THAT(screening.kept, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(screening.discarded, IsEmpty());
  EXPECT_THAT(ScreenRounds({}).kept, IsEmpty());
}

TEST(ScreenRounds, ALoadedRoundGoesWhicheverContestantShowsIt) {
  std::vector<Round> rounds(8, Quiet({100, 200}));
  rounds[2] = Quiet({126, 252});
  rounds[5] = Quiet({100, 260});
  const Screening screening = ScreenRounds(rounds);
  EXPECT_THAT(screening.kept, ElementsAre(0, 1, 3, 4, 6, 7));
  EXPECT_THAT(screening.discarded, ElementsAre(Pair("other_load", 2)));
}

TEST(ScreenRounds, AContestantOfTwoSpeedsIsNotLoad) {
  std::vector<Round> rounds;
  for (int i = 0; i < 12; ++i)
    rounds.push_back(Quiet({i % 3 == 0 ? 100.0 : 140.0}));
  EXPECT_EQ(ScreenRounds(rounds).kept.size(), 12U);
}

TEST(ScreenRounds, AClockStepNeedsClockAndTimes) {
  std::vector<Round> rounds(9, Quiet({100, 200}));
  rounds[1] = Quiet({110, 220}, 1270);  // 10 % slower
  rounds[4] = Quiet({100, 200}, 1270);  // the clock alone: read at another moment
  rounds[6] = Quiet({104, 208});        // the times alone, and together: no harm
  rounds[7] = Quiet({92, 184}, 1530);
  const Screening screening = ScreenRounds(rounds);
  EXPECT_THAT(screening.kept, ElementsAre(0, 2, 3, 4, 5, 6, 8));
  EXPECT_THAT(screening.discarded, ElementsAre(Pair("clock_step", 2)));
}

TEST(ScreenRounds, AnUnknownClockIsNoStep) {
  std::vector<Round> rounds(5, Quiet({100}, 0));
  rounds[1] = Quiet({104}, 1400);
  EXPECT_EQ(ScreenRounds(rounds).kept.size(), 5U);
}

TEST(ScreenRounds, OutliersOfTheRatioToBothSides) {
  std::vector<Round> rounds(9, Quiet({100, 100}));
  rounds[0] = Quiet({110, 100});
  rounds[8] = Quiet({100, 110});
  rounds[4] = Quiet({110, 110});  // both alike: the ratio is right
  const Screening screening = ScreenRounds(rounds);
  EXPECT_THAT(screening.kept, ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(screening.discarded, ElementsAre(Pair("outlier", 2)));
}

TEST(ScreenRounds, ALoneContestantIsNeverTooFast) {
  std::vector<Round> rounds(9, Quiet({100}));
  rounds[0] = Quiet({90});
  rounds[1] = Quiet({110});
  EXPECT_THAT(ScreenRounds(rounds).kept, ElementsAre(0, 2, 3, 4, 5, 6, 7, 8));
}

TEST(ConditionsOf, TheKeptRounds) {
  const std::vector<Round> rounds{Quiet({1}, 1000), Quiet({1}, 1400), Quiet({1}, 1200)};
  const std::vector<std::size_t> kept{1, 2};
  EXPECT_EQ(ConditionsOf(rounds, kept).sm_clock_mhz, 1300);
  EXPECT_EQ(ConditionsOf(rounds, {}).sm_clock_mhz, 1200);
}

}  // namespace
}  // namespace tw
