// What the store tells a new tune, over fakes.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tests/fakes/forwarding_store.h"
#include "tests/tuner/tuner_fixture.h"
#include "tuner/tuner.h"

namespace tw {
namespace {

// Far from what the model puts first, and in truth the fastest.
constexpr const char* kUnlikely = "tw_beta_256x32_k4";

class ExperienceTest : public TunerTest {
 protected:
  ExperienceTest() { SetTimes({{kUnlikely, 100}, {"tw_beta_256x32_k1", 102}}, 1000); }

  // A search that has no room for the unlikely.
  static TuneSpec Small(const std::string& run_id, std::int64_t m) {
    TuneSpec spec = Spec(run_id);
    GemmProblem problem;
    problem.m = m;
    problem.n = problem.k = 512;
    spec.problem = *Normalize(problem);
    spec.options.max_candidates = 8;
    return spec;
  }

  static std::string Winner(const Result<TuneResult>& result) {
    return result.ok() ? fakes::FakeEntry(result->winner.config) : result.status().ToString();
  }
};

TEST_F(ExperienceTest, ASmallSearchAloneDoesNotFindIt) {
  const Result<TuneResult> result = Tune(Small("run-2", 640));
  EXPECT_NE(Winner(result), kUnlikely);
  EXPECT_EQ(result->funnel.count("seeded"), 0U);
}

TEST_F(ExperienceTest, ANeighboursWinnerIsTried) {
  ASSERT_EQ(Winner(Tune(Spec())), kUnlikely);
  const Result<TuneResult> result = Tune(Small("run-2", 640));
  EXPECT_EQ(Winner(result), kUnlikely);
  EXPECT_EQ(result->funnel.at("seeded"), 2);
  EXPECT_EQ(result->funnel.at("selected"), 8);
}

TEST_F(ExperienceTest, AnOldWinnerIsTriedAgain) {
  ASSERT_EQ(Winner(Tune(Spec())), kUnlikely);
  const std::size_t before = benchmarker_.runs.size();
  EXPECT_EQ(Winner(Tune(Small("run-2", 512))), kUnlikely);
  EXPECT_GT(benchmarker_.runs.size(), before);  // verified and timed, not taken over
}

TEST_F(ExperienceTest, AFarProblemIsNoNeighbour) {
  ASSERT_EQ(Winner(Tune(Spec())), kUnlikely);
  EXPECT_NE(Winner(Tune(Small("run-2", 512 * 16))), kUnlikely);
}

TEST_F(ExperienceTest, AnotherDevicesWinnerIsNot) {
  ASSERT_EQ(Winner(Tune(Spec())), kUnlikely);
  TuneSpec spec = Small("run-2", 640);
  spec.device.sm_count = 78;
  EXPECT_NE(Winner(Tune(spec)), kUnlikely);
}

class ForgetfulStore final : public fakes::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  [[nodiscard]] Result<std::vector<CandidateReport>> Reports(
      std::string_view run_id) const override {
    if (run_id == "run-1") {
      return Status(StatusCode::kDataLoss, "a damaged row");
    }
    return ForwardingStore::Reports(run_id);
  }
};

TEST_F(ExperienceTest, APastThatCannotBeReadIsNone) {
  ForgetfulStore store(store_);
  ASSERT_EQ(Winner(Tune(Spec("run-1"))), kUnlikely);
  const Result<TuneResult> result = Tune(Small("run-2", 640), store);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(result->funnel.count("seeded"), 0U);
}

}  // namespace
}  // namespace tw
