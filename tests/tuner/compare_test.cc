// A winner beside the vendor's library: when it is searched for, kept, compared and stored.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/tuner/tuner_fixture.h"

namespace tw {
namespace {

class CompareTest : public TunerTest {
 protected:
  static TuneSpec WithBaseline(const std::string& run_id = "run-1") {
    TuneSpec spec = Spec(run_id);
    spec.options.baseline = true;
    spec.options.regime = Regime::kCool;
    return spec;
  }

  static TuneSpec Keeping(const std::string& run_id) {
    TuneSpec spec = WithBaseline(run_id);
    spec.options.keep_winner = true;
    return spec;
  }
};

TEST_F(CompareTest, TheWinnerIsComparedAndStoredWithTheReport) {
  SetTimes({{"tw_beta_64x32_k1", 1000}});
  benchmarker_.baseline.library = "library 1";
  const Result<TuneResult> result = Tune(WithBaseline());
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  ASSERT_TRUE(result->baseline);
  EXPECT_EQ(result->baseline->library, "library 1");
  EXPECT_EQ(benchmarker_.compared, std::vector<std::string>{"tw_beta_64x32_k1"});
  EXPECT_EQ(benchmarker_.baseline_options.regime, Regime::kCool);
  EXPECT_LT(benchmarker_.baseline_options.finalists, BaselineOptions().finalists);
  EXPECT_EQ(store_.Find(result->key)->baseline->library, "library 1");
  EXPECT_EQ(progress_.back().phase, TunePhase::kCompare);
}

TEST_F(CompareTest, NobodyComparesUnasked) {
  EXPECT_FALSE(Tune(Spec())->baseline);
  EXPECT_TRUE(benchmarker_.compared.empty());
}

TEST_F(CompareTest, AKeptWinnerIsNotSearchedForAgain) {
  ASSERT_TRUE(Tune(Spec("run-1")).ok());
  const std::size_t runs = benchmarker_.runs.size();
  const Result<TuneResult> again = Tune(Keeping("run-2"));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_TRUE(again->baseline);
  EXPECT_EQ(again->run_id, "run-1");
  EXPECT_EQ(benchmarker_.runs.size(), runs);
  EXPECT_EQ(benchmarker_.compared.size(), 1U);
}

TEST_F(CompareTest, AWinnerThatWouldBeBuiltAnotherWayTodayIsSearchedForAgain) {
  TuneResult stored = *Tune(Spec("run-1"));
  stored.winner.source_digest = "of yesterday";
  ASSERT_TRUE(store_.PutResult(stored).ok());
  const Result<TuneResult> again = Tune(Keeping("run-2"));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->run_id, "run-2");
}

TEST_F(CompareTest, AKeptWinnerOfAnotherFamilyIsSearchedForAgain) {
  SetTimes({{"tw_beta_64x32_k1", 1000}});
  ASSERT_TRUE(Tune(Spec("run-1")).ok());
  TuneSpec spec = Keeping("run-2");
  spec.options.family = "alpha";
  EXPECT_EQ(Tune(spec)->winner.config.family, "alpha");
}

TEST_F(CompareTest, AComparisonThatFailsLosesNothing) {
  benchmarker_.baseline_status = Status(StatusCode::kUnavailable, "the device is lost");
  const Result<TuneResult> result = Tune(WithBaseline());
  EXPECT_EQ(result.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(result.status().message(), testing::HasSubstr("comparing with the library"));
  const std::optional<TuneResult> stored = store_.Find(KeyOf(Spec()));
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->state, RowState::kMeasured);
  EXPECT_FALSE(stored->baseline);

  // The next attempt of the run only compares.
  benchmarker_.baseline_status = OkStatus();
  const std::size_t runs = benchmarker_.runs.size();
  EXPECT_TRUE(Tune(WithBaseline())->baseline);
  EXPECT_EQ(benchmarker_.runs.size(), runs);
}

TEST_F(CompareTest, WithoutAGpuThereIsNothingToCompare) {
  TuneSpec spec = WithBaseline();
  spec.device = *ReferenceDevice("sm_90a");
  const Result<TuneResult> result = Tune(spec);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->state, RowState::kPredicted);
  EXPECT_EQ(result->baseline->unavailable, "no GPU here to compare on");
  EXPECT_FALSE(store_.Find(result->key)->baseline);
}

}  // namespace
}  // namespace tw
