// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/device_spec.h"

#include <set>

#include <gtest/gtest.h>

namespace tw {
namespace {

DeviceSpec H200() {
  return ReferenceDevice("sm_90a").value();
}

TEST(DeviceClass, SeparatesSmCountMemoryClassAndMig) {
  DeviceSpec device = H200();
  EXPECT_EQ(DeviceClass(device), "sm_90a/132sm/144gb");
  device.sm_count = 114;
  EXPECT_EQ(DeviceClass(device), "sm_90a/114sm/144gb");
  device.memory_bytes = std::int64_t{80} << 30U;
  EXPECT_EQ(DeviceClass(device), "sm_90a/114sm/80gb");
  device.mig_profile = "1g.10gb";
  EXPECT_EQ(DeviceClass(device), "sm_90a/114sm/80gb/1g.10gb");
}

TEST(DeviceClass, IgnoresWhatDriverVersionsTakeFromMemory) {
  DeviceSpec device = H200();
  for (const std::int64_t mib : {143155, 143771, 143000}) {
    device.memory_bytes = mib << 20U;
    EXPECT_EQ(DeviceClass(device), "sm_90a/132sm/144gb") << mib;
  }
}

TEST(ReferenceDevice, HasEveryArchOnceAndFirst) {
  std::set<std::string> archs;
  for (const DeviceSpec& device : ReferenceDevices()) {
    archs.insert(device.arch);
    EXPECT_EQ(ReferenceDevice(device.arch).value().arch, device.arch);
  }
  const std::set<std::string> expected = {"sm_75",   "sm_80",   "sm_86",   "sm_89",   "sm_90a",
                                          "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a"};
  EXPECT_EQ(archs, expected);
}

TEST(ReferenceDevice, TheH200) {
  const DeviceSpec device = H200();
  EXPECT_EQ(device.name, "NVIDIA H200");
  EXPECT_EQ(device.cc(), 90);
  EXPECT_EQ(device.sm_count, 132);
  EXPECT_EQ(device.smem_per_sm, 233472);
  EXPECT_EQ(device.smem_per_block_optin, 232448);
  EXPECT_EQ(device.smem_reserved_per_block, 1024);
  EXPECT_EQ(device.max_threads_per_sm, 2048);
  EXPECT_EQ(device.max_blocks_per_sm, 32);
  EXPECT_EQ(device.mma_f16, 2048);
  EXPECT_EQ(device.mma_f64, 128);
}

// NVIDIA's dense figures: H200 989 TFLOP/s bf16 and A100 312 at boost, L40S 362.
TEST(ReferenceDevice, PeaksAgreeWithTheDataSheets) {
  const auto tflops = [](const DeviceSpec& d, double clock_hz) {
    return 2 * d.mma_f16 * d.sm_count * clock_hz / 1e12;
  };
  EXPECT_NEAR(tflops(H200(), 1.83e9), 989, 10);
  EXPECT_NEAR(tflops(ReferenceDevice("sm_80").value(), 1.41e9), 312, 3);
  EXPECT_NEAR(tflops(ReferenceDevice("sm_89").value(), 2.52e9), 362, 5);
}

TEST(ReferenceDevice, EveryRowIsComplete) {
  for (const DeviceSpec& d : ReferenceDevices()) {
    SCOPED_TRACE(d.name);
    EXPECT_EQ(d.arch.substr(0, d.arch.find('a')), "sm_" + std::to_string(d.cc()));
    EXPECT_GT(d.sm_count, 0);
    EXPECT_GT(d.memory_bytes, std::int64_t{8} << 30U);
    EXPECT_GE(d.max_threads_per_sm, d.max_threads_per_block);
    EXPECT_GE(d.max_blocks_per_sm, 16);
    EXPECT_EQ(d.smem_per_block_optin + d.smem_reserved_per_block, d.smem_per_sm);
    EXPECT_EQ(d.smem_reserved_per_block, d.cc() >= 80 ? 1024 : 0);
    EXPECT_GE(d.l2_bytes, std::int64_t{4} << 20U);
    EXPECT_GT(d.dram_bytes_per_s, 1e11);
    EXPECT_GT(d.sm_clock_hz, 1e9);
    for (const double rate : {d.fma_f32, d.fma_f64, d.fma_s8, d.mma_f16, d.mma_s8})
      EXPECT_GT(rate, 0);
    EXPECT_EQ(d.mma_tf32 > 0, d.cc() >= 80);
    EXPECT_EQ(d.mma_fp8 > 0, d.cc() >= 89);
    EXPECT_TRUE(d.uuid.empty());
    EXPECT_EQ(d.driver_version, 0);
  }
}

TEST(CanonicalArch, AddsTheFeatureSuffix) {
  for (const char* arch : {"sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"}) {
    EXPECT_EQ(CanonicalArch(arch), std::string(arch) + "a");
    EXPECT_EQ(ReferenceDevice(arch).value().arch, std::string(arch) + "a");
  }
  for (const char* arch : {"sm_75", "sm_80", "sm_90a", "sm_9", "", "compute_90"})
    EXPECT_EQ(CanonicalArch(arch), arch);
}

TEST(ReferenceDevice, NotFoundListsWhatIsKnown) {
  const Result<DeviceSpec> device = ReferenceDevice("sm_70");
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().code(), StatusCode::kNotFound);
  EXPECT_EQ(device.status().field(), "arch");
  EXPECT_EQ(device.status().message(),
            "arch = sm_70: must be one of sm_75, sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_103a, "
            "sm_110a, sm_120a, sm_121a");
}

}  // namespace
}  // namespace tw
