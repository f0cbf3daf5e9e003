// The calibrating kernels compile for every architecture.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/calibration_source.h"

#include <iostream>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/compile/nvrtc_compiler.h"
#include "tw/calibrate/params.h"

namespace tw {
namespace {

KernelSource SourceFor(const std::string& arch) {
  return BuildCalibrationSource(*ReferenceDevice(arch), TemplateStore()).value();
}

TEST(CalibrationSource, IsSelfContained) {
  const KernelSource source = SourceFor("sm_90a");
  EXPECT_THAT(source.text, testing::Not(testing::HasSubstr("#include")));
  EXPECT_THAT(source.text, testing::HasSubstr("Multiply<tw::MmaK16>"));
  EXPECT_EQ(source.arch, "sm_90a");
  EXPECT_EQ(source.digest.size(), 64U);
  EXPECT_THAT(SourceFor("sm_75").text, testing::HasSubstr("Multiply<tw::MmaK8>"));
}

TEST(CalibrationSource, CompilesForEveryArchWithoutSpills) {
  auto api = LoadNvrtc({.file = "", .directories = {"/usr/local/cuda/lib64"}});
  if (!api.ok())
    GTEST_SKIP() << api.status().ToString();
  NvrtcCompiler compiler(*api);
  std::set<std::string> archs;
  for (const DeviceSpec& device : ReferenceDevices())
    archs.insert(device.arch);
  for (const std::string& arch : archs) {
    if (const Status known = CheckTargets(*api, arch); !known.ok()) {
      std::cout << "LEFT OUT: " << known.message() << "\n";
      continue;
    }
    const auto compiled = compiler.Compile(SourceFor(arch), {});
    ASSERT_TRUE(compiled.ok()) << arch << compiled.status().ToString();
    std::set<std::string> entries;
    for (const EntryResources& entry : compiled->entries) {
      entries.insert(entry.entry);
      EXPECT_EQ(entry.spill_store_bytes, 0) << arch << " " << entry.entry;
    }
    EXPECT_EQ(entries, (std::set<std::string>{kCalibrateDram, kCalibrateL2, kCalibrateMath,
                                              kCalibrateNothing}));
  }
}

}  // namespace
}  // namespace tw
