// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker/timing_selftest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tw {
namespace {

struct Output {
  bool passed = false;
  std::string text = {};
};

Output RunOn(const std::string& script, Regime regime = Regime::kHot) {
  std::FILE* file = std::tmpfile();
  const Result<bool> passed =
      RunTimingSelftest({.gpu = {.fake = true, .fake_script = script}, .regime = regime}, file);
  EXPECT_TRUE(passed.ok()) << passed.status().ToString();
  Output output{.passed = passed.ok() && *passed};
  std::rewind(file);
  char line[256];
  while (std::fgets(line, sizeof(line), file) != nullptr)
    output.text += line;
  std::fclose(file);
  return output;
}

TEST(TimingSelftest, PassesOnAQuietDevice) {
  for (Regime regime : {Regime::kHot, Regime::kCool}) {
    const Output output = RunOn("", regime);
    EXPECT_TRUE(output.passed) << output.text;
    EXPECT_THAT(output.text, testing::HasSubstr("slower"));
  }
}

TEST(TimingSelftest, PassesBesideAnotherProcessHalfOfTheTime) {
  const Output output = RunOn(R"({"disturbances": [{
      "for_s": 5, "every_s": 10, "factor": 1.5, "wait_us": 1700, "compute_processes": 2}]})");
  EXPECT_TRUE(output.passed) << output.text;
}

TEST(TimingSelftest, FailsWhereTheDeviceIsNeverQuiet) {
  const Output output = RunOn(R"({"disturbances": [{"wait_us": 1700, "compute_processes": 2}]})");
  EXPECT_FALSE(output.passed);
  EXPECT_THAT(output.text, testing::HasSubstr("other_load"));
}

TEST(TimingSelftest, AScriptThatCannotBeReadIsAnError) {
  const TimingSelftest options{.gpu = {.fake = true, .fake_script = "{"}};
  EXPECT_EQ(RunTimingSelftest(options, stdout).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tw
