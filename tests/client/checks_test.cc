// SPDX-License-Identifier: Apache-2.0
#include "client/cli/checks.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "client/cli/render.h"
#include "client/cli/render_json.h"
#include "tests/client/golden.h"
#include "tests/client/samples.h"

namespace tw::cli {
namespace {

DoctorFacts Healthy() {
  DoctorFacts facts;
  facts.status = SampleStatus();
  facts.devices = SampleDevices();
  facts.store_writable = true;
  facts.open_files = 65536;
  return facts;
}

CheckLevel LevelOf(const std::vector<Check>& checks, const std::string& name) {
  const auto found = std::find_if(checks.begin(), checks.end(),
                                  [&](const Check& check) { return check.name == name; });
  return found == checks.end() ? CheckLevel::kFailure : found->level;
}

TEST(Checks, HealthyMachineIsUsable) {
  const auto checks = Judge(Healthy());
  EXPECT_TRUE(Usable(checks));
  ExpectGolden("doctor.txt", ChecksText(checks));
  ExpectGolden("doctor.json", ChecksJson(checks));
}

TEST(Checks, NoGpuIsAWarningWithAdvice) {
  DoctorFacts facts = Healthy();
  facts.devices->clear_devices();
  facts.devices->set_note("libcuda.so.1 not found");
  const auto checks = Judge(facts);
  EXPECT_EQ(LevelOf(checks, "driver"), CheckLevel::kWarning);
  EXPECT_TRUE(Usable(checks));
  EXPECT_NE(ChecksText(checks).find("libcuda.so.1 not found"), std::string::npos);
}

TEST(Checks, MissingCompilerIsAFailure) {
  DoctorFacts facts = Healthy();
  facts.status->set_compiler("libnvrtc not found in ...");
  EXPECT_EQ(LevelOf(Judge(facts), "compiler"), CheckLevel::kFailure);
  EXPECT_FALSE(Usable(Judge(facts)));
}

TEST(Checks, LowDescriptorLimitIsAFailure) {
  DoctorFacts facts = Healthy();
  facts.open_files = 1024;
  EXPECT_EQ(LevelOf(Judge(facts), "limits"), CheckLevel::kFailure);
}

TEST(Checks, UnwritableStoreMattersOnlyWhereItIsOurs) {
  DoctorFacts facts = Healthy();
  facts.store_writable = false;
  EXPECT_EQ(LevelOf(Judge(facts), "store"), CheckLevel::kWarning);
  facts.remote = true;
  EXPECT_EQ(LevelOf(Judge(facts), "store"), CheckLevel::kOk);
}

TEST(Checks, LostGpuIsAWarning) {
  DoctorFacts facts = Healthy();
  facts.devices->mutable_devices(0)->set_state("lost");
  EXPECT_EQ(LevelOf(Judge(facts), "gpu"), CheckLevel::kWarning);
}

TEST(Checks, NoDaemonIsAFailureThatSaysWhy) {
  DoctorFacts facts;
  facts.open_files = 65536;
  facts.daemon = Status(StatusCode::kFailedPrecondition, "the daemon refused to start");
  const auto checks = Judge(facts);
  EXPECT_FALSE(Usable(checks));
  EXPECT_NE(ChecksText(checks).find("the daemon refused to start"), std::string::npos);
}

TEST(Checks, EveryFailureAndWarningSaysWhatToDo) {
  DoctorFacts facts = Healthy();
  facts.open_files = 1;
  facts.store_writable = false;
  facts.status->set_compiler("");
  facts.devices->clear_devices();
  for (const Check& check : Judge(facts)) {
    EXPECT_EQ(check.advice.empty(), check.level == CheckLevel::kOk) << check.name;
  }
}

}  // namespace
}  // namespace tw::cli
