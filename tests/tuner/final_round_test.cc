// The last heats of a tune, over fakes.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "tests/tuner/tuner_fixture.h"
#include "tuner/finalists.h"
#include "tuner/tuner.h"

namespace tw {
namespace {

using fakes::Failed;
using fakes::FakeHeat;
using fakes::Measured;

TEST_F(TunerTest, TheFinalRoundDecides) {
  SetTimes({{"tw_alpha_32x32_k1", 500}, {"tw_alpha_64x64_k1", 510}});
  benchmarker_.final_run = [](const CandidateRun& run) {
    return Measured(EntryOf(run) == "tw_alpha_64x64_k1" ? 480 : 520);
  };
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->winner.launch.launches.front().entry, "tw_alpha_64x64_k1");
  EXPECT_EQ(result->winner.time_ns, 480);
  EXPECT_EQ(benchmarker_.finalists.size(), 8U);  // four, after the batch and in the end
  EXPECT_EQ(ReportsByEntry().at("tw_alpha_32x32_k1").measurement->median_ns, 520);
}

TEST_F(TunerTest, AFinalistThatFailsIsOut) {
  SetTimes({{"tw_alpha_32x32_k1", 500}, {"tw_alpha_64x64_k1", 510}});
  benchmarker_.final_run = [](const CandidateRun& run) {
    return EntryOf(run) == "tw_alpha_32x32_k1" ? Failed(OutcomeKind::kCrashed) : Measured(510);
  };
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok());
  EXPECT_NE(result->winner.launch.launches.front().entry, "tw_alpha_32x32_k1");
  EXPECT_EQ(result->funnel.at("crashed"), 1);
  EXPECT_EQ(result->funnel.at("finalists"), 4);  // the next one has its place
}

TEST_F(TunerTest, WhereAllFinalistsFailTheNextOnesTakeTheirTurn) {
  SetTimes({{"tw_alpha_32x32_k1", 500}}, 900);
  TuneSpec spec = Spec();
  spec.options.finalists = 1;
  benchmarker_.final_run = [](const CandidateRun& run) {
    return EntryOf(run) == "tw_alpha_32x32_k1" ? Failed(OutcomeKind::kWrongResult) : Measured(910);
  };
  const Result<TuneResult> result = Tune(spec);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(result->winner.time_ns, 910);
}

TEST_F(TunerTest, ADisturbedFinalLeavesTheFirstMeasurementStanding) {
  SetTimes({{"tw_alpha_32x32_k1", 500}}, 900);
  benchmarker_.final_run = [](const CandidateRun&) { return Failed(OutcomeKind::kDisturbed); };
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(result->winner.time_ns, 500);
}

// Two are close, and four alone in the final; `half_width_ns` by the rounds of the heat.
class PlayoffTest : public TunerTest {
 protected:
  void SetWidths(double before, double in_first, double in_second) {
    SetTimes({{"tw_alpha_32x32_k1", 1000}, {"tw_alpha_64x64_k1", 1010}}, 1e4);
    benchmarker_.final_run = [=, this](const CandidateRun& run) {
      const int rounds = benchmarker_.heats.back().rounds;
      const double width = rounds <= 11 ? before : rounds == 22 ? in_first : in_second;
      if (EntryOf(run) == "tw_alpha_32x32_k1") {
        return Measured(1000, width);
      }
      return Measured(EntryOf(run) == "tw_alpha_64x64_k1" ? 1010 : 1e4, width);
    };
  }

  [[nodiscard]] std::vector<FakeHeat> LastHeats(std::size_t n) const {
    const std::vector<FakeHeat>& heats = benchmarker_.heats;
    return {heats.end() - static_cast<std::ptrdiff_t>(std::min(n, heats.size())), heats.end()};
  }
};

TEST_F(PlayoffTest, NoneWhereTheFinalDecides) {
  SetWidths(2, 1, 1);
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(LastHeats(1), (std::vector<FakeHeat>{{4, 11}}));
  EXPECT_TRUE(result->ties.empty());
  EXPECT_EQ(result->funnel.at("finalists"), 4);
}

TEST_F(PlayoffTest, ThoseWhoOverlapMeetForTwiceAsLong) {
  SetWidths(6, 1, 1);
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(LastHeats(2), (std::vector<FakeHeat>{{4, 11}, {2, 22}}));
  EXPECT_EQ(result->winner.time_ns, 1000);
  EXPECT_EQ(result->winner.ci_high_ns, 1001);
  EXPECT_TRUE(result->ties.empty());
  EXPECT_EQ(result->funnel.at("finalists"), 2);
}

TEST_F(PlayoffTest, TwoPlayoffsAreEnough) {
  SetWidths(20, 15, 10);
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(LastHeats(3), (std::vector<FakeHeat>{{4, 11}, {2, 22}, {2, 44}}));
  EXPECT_EQ(result->ties.size(), 1U);
}

TEST_F(PlayoffTest, ADisturbedFinalHasNone) {
  SetTimes({{"tw_alpha_32x32_k1", 1000}, {"tw_alpha_64x64_k1", 1000}});
  benchmarker_.final_run = [](const CandidateRun&) { return Failed(OutcomeKind::kDisturbed); };
  ASSERT_TRUE(Tune(Spec()).ok());
  EXPECT_EQ(benchmarker_.heats.back(), (FakeHeat{4, 11}));
}

TEST_F(PlayoffTest, NoneThatTheBudgetHasNoTimeFor) {
  SetWidths(20, 15, 10);
  TuneSpec spec = Spec();
  // Both fit: about 0.3 s and 6 ms a turn; but the final takes nearly all of it.
  spec.options.budget = std::chrono::seconds(20);
  const auto in_turns = benchmarker_.final_run;
  benchmarker_.final_run = [=, this](const CandidateRun& run) {
    if (benchmarker_.heats.back() == FakeHeat{4, 11}) {
      clock_.Advance(std::chrono::milliseconds(4900));
    }
    return in_turns(run);
  };
  const Result<TuneResult> result = Tune(spec);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(benchmarker_.heats.back(), (FakeHeat{4, 11}));
  EXPECT_LE(result->phases.total_s, 20);
}

}  // namespace
}  // namespace tw
