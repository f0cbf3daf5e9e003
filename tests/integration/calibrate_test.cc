// Calibration through the real binaries: by command, and before the first tune on a GPU.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/integration/fixture.h"

namespace tw::integration {
namespace {

using CalibrateTest = IntegrationTest;

const Words kFew = {"--max-candidates", "3", "--family", "simt", "--budget", "10m"};

// The least of the predictions that the search of the stored result went by.
double LeastPrediction(const Json& explanation) {
  double least = 1e30;
  for (const Json& candidate : explanation["candidates"])
    least = std::min(least, candidate["predicted_ns"].get<double>());
  return least;
}

TEST_F(CalibrateTest, ByCommandFiguresStandBesideTheTables) {
  UseFakeGpu(R"({"calibration": {"dram_bytes_per_s": 4e12, "sm_clock_hz": 1.5e9,
      "l2_bytes_per_clock_per_sm": 30, "launch_s": 2.5e-6}})");
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  const Json answer = RunJson({"calibrate"});
  EXPECT_EQ(answer["schema"], "tilewright.calibrate.v1");
  EXPECT_EQ(answer["device"]["uuid"], "GPU-fake-0000");
  const Json& figures = answer["figures"];
  EXPECT_NEAR(figures["dram_bytes_per_s"]["measured"].get<double>() / 4e12, 1, 1e-3);
  EXPECT_NEAR(figures["sm_clock_hz"]["measured"].get<double>() / 1.5e9, 1, 1e-3);
  EXPECT_NEAR(figures["l2_bytes_per_clock_per_sm"]["measured"].get<double>() / 30, 1, 1e-3);
  EXPECT_NEAR(figures["launch_s"]["measured"].get<double>() / 2.5e-6, 1, 1e-3);
  EXPECT_EQ(figures["launch_s"]["table"], 2e-6);
  EXPECT_EQ(RunJson({"calibrate", "--device", "GPU-other"}, 3)["code"], "NOT_FOUND");
}

TEST_F(CalibrateTest, WithoutAGpuItFailsAndSaysWhy) {
  UseNoGpu();
  const Finished finished = Run({"calibrate"});
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_EQ(finished.err,
            "tilewright: calibrating needs a GPU and there is none here: GPUs are switched off\n");
}

// A third of the bandwidth is in every prediction, of the search and of the explanation.
TEST_F(CalibrateTest, TheFirstTuneCalibratesAndGoesByIt) {
  UseFakeGpu("");
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  // Reads 16 MiB and multiplies next to nothing.
  const Words thin = {"-m", "1", "-n", "2048", "-k", "2048", "--dtype", "f32"};
  RunJson(Words{"tune"} + thin + kFew);
  const double as_in_the_table = LeastPrediction(RunJson(Words{"explain"} + thin));
  UseNewStore();
  UseFakeGpu(R"({"calibration": {"dram_bytes_per_s": 1.5e12}})");
  EXPECT_EQ(RunJson(Words{"tune"} + thin + kFew)["state"], "MEASURED");
  EXPECT_GT(LeastPrediction(RunJson(Words{"explain"} + thin)), 1.2 * as_in_the_table);
}

TEST_F(CalibrateTest, OneThatKillsItsWorkerCostsNoTune) {
  UseFakeGpu(R"({"calibration": {"behaviour": "crash"}})");
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  EXPECT_EQ(RunJson(Words{"tune"} + kSmall + kFew)["state"], "MEASURED");
  EXPECT_EQ(RunJson({"calibrate"}, 75)["code"], "ABORTED");
}

}  // namespace
}  // namespace tw::integration
