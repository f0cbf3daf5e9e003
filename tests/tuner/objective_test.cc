// What the objective makes of a launch plan.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/tuner/tuner_fixture.h"

namespace tw {
namespace {

class ObjectiveTest : public TunerTest {
 protected:
  ObjectiveTest() {
    alpha_.waits_for_dependencies = true;
    benchmarker_.run = [this](const CandidateRun& run) {
      const KernelLaunch& first = run.launch.launches.front();
      if (first.programmatic)
        ++(first.entry.starts_with("tw_alpha") ? alpha_count_ : beta_count_);
      return Result<BenchmarkOutcome>(fakes::Measured(1000));
    };
  }

  // Programmatic launches by family.
  int alpha_count_ = 0;
  int beta_count_ = 0;
};

TEST_F(ObjectiveTest, PdlIsForKernelsThatWaitForWhatWentBefore) {
  TuneSpec spec = Spec();
  spec.objective = Objective::kPdl;
  ASSERT_TRUE(Tune(spec).ok());
  EXPECT_GT(alpha_count_, 0);
  EXPECT_EQ(beta_count_, 0);
}

TEST_F(ObjectiveTest, ColdLaunchesWaitForEachOther) {
  ASSERT_TRUE(Tune(Spec()).ok());
  EXPECT_EQ(alpha_count_, 0);
}

TEST_F(ObjectiveTest, BlocksThatWaitForEachOtherNeedTheDevice) {
  alpha_.launch = [](const GemmProblem& problem, const DeviceSpec& device,
                     const KernelConfig& config) {
    LaunchPlan plan = fakes::FakeLaunch(problem, device, config);
    plan.launches.front().cooperative = true;
    return plan;
  };
  TuneSpec spec = Spec();
  spec.objective = Objective::kPdl;
  ASSERT_TRUE(Tune(spec).ok());
  EXPECT_EQ(alpha_count_, 0);
}

}  // namespace
}  // namespace tw
