// What a user gets wrong, and what is looked at without tuning.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/fixture.h"

namespace tw::integration {
namespace {

using InputTest = IntegrationTest;

TEST_F(InputTest, BadValuesAreOneLineThatNamesFieldAndRule) {
  UseNoGpu();

  const struct {
    Words words;
    std::string part;
  } rows[] = {
      {{"-m", "-1", "-n", "4", "-k", "4"}, "m = -1: must be >= 0"},
      {{"-m", "4", "-n", "-9223372036854775808", "-k", "4"}, "n = -9223372036854775808"},
      {{"-m", "4", "-n", "4", "-k", "x"}, "k = x: must be a whole number"},
      {{"-m", "9223372036854775808", "-n", "4", "-k", "4"}, "must fit a signed 64-bit integer"},
      {{"-m", "4611686018427387904", "-n", "8", "-k", "8"}, "m"},
      {{"-m", "4", "-n", "4", "-k", "8", "--lda", "7"}, "= 7"},
      {{"-m", "4", "-n", "4", "-k", "8", "--lda", "-8"}, "= -8"},
      {{"-m", "4", "-n", "4", "-k", "8", "--batch", "-1"}, "batch = -1"},
      {{"-m", "4", "-n", "4", "-k", "8", "--batch", "2", "--stride-d", "0"}, "= 0"},
      {{"-m", "4", "-n", "4", "-k", "8", "--align-a", "3"}, "= 3"},
      {{"-m", "4", "-n", "4", "-k", "8", "--dtype", "f8"}, "dtype = f8: must be one of"},
      {{"-m", "4", "-n", "4", "-k", "8", "--arch", "sm_12"}, "sm_12"},
      {{"-m", "4", "-n", "4", "-k", "8", "--device", "GPU-none"}, "GPU-none"},
      {{"-m", "4", "-n", "4", "-k", "8", "--family", "nosuch"}, "nosuch"},
  };

  for (const auto& row : rows) {
    const Finished refused = Run(Words{"tune"} + row.words);
    EXPECT_EQ(refused.exit_code, 64) << testing::PrintToString(row.words) << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_NE(refused.err.find(row.part), std::string::npos)
        << testing::PrintToString(row.words) << refused.err;
    EXPECT_EQ(refused.out, "");
  }
}

TEST_F(InputTest, LookupAndSourceRefuseTheSame) {
  UseNoGpu();
  for (const char* command : {"lookup", "source"}) {
    const Json refused = RunJson({command, "-m", "-1", "-n", "4", "-k", "4"}, 64);
    EXPECT_EQ(refused["schema"], "tilewright.error.v1");
    EXPECT_EQ(refused["code"], "INVALID_ARGUMENT");
    EXPECT_EQ(refused["exit"], 64);
  }
}

TEST_F(InputTest, TheDaemonIsLookedAt) {
  UseFakeGpu("");
  const Json devices = RunJson({"devices"});
  ASSERT_EQ(devices["devices"].size(), 1U) << devices;
  EXPECT_EQ(devices["devices"][0]["uuid"], "GPU-fake-0000");
  EXPECT_EQ(devices["devices"][0]["state"], "ok");
  const Json status = RunJson({"status"});
  EXPECT_GT(status["pid"], 0);
  EXPECT_EQ(status["results"], 0);
  EXPECT_EQ(RunJson({"jobs"})["jobs"].size(), 0U);
  EXPECT_EQ(Run({"cancel", "nosuch"}).exit_code == 0, false);
}

TEST_F(InputTest, DoctorFindsThisMachineUsable) {
  UseFakeGpu("");
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  const Json doctor = RunJson({"doctor"});
  EXPECT_EQ(doctor["usable"], true) << doctor;
}

TEST_F(InputTest, NoGpuIsSaidWithTheReason) {
  UseNoGpu();
  const Json devices = RunJson({"devices"});
  EXPECT_TRUE(devices["devices"].empty());
  EXPECT_FALSE(devices["note"].is_null());
  EXPECT_FALSE(devices["known_archs"].empty());
}

TEST_F(InputTest, ABadDaemonOptionIsAConfigurationErrorWithTheDaemonsWords) {
  const Finished refused = Run({"--gpus", "first", "status"});
  EXPECT_TRUE(refused.exit_code == 78 || refused.exit_code == 69) << refused.exit_code;
  EXPECT_NE(refused.err.find("--gpus"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace tw::integration
