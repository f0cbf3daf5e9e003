// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/driver_api.h"

#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/device/cuda_error.h"
#include "tuner/device/probe.h"

namespace tw {
namespace {

using testing::HasSubstr;

int Anything() {
  return 0;
}

void* SomeAddress() {
  return reinterpret_cast<void*>(&Anything);
}

TEST(DriverApi, BindsTheVersionedSymbols) {
  std::set<std::string> asked;
  const auto api = BindDriverApi([&](const char* symbol) {
    asked.insert(symbol);
    return SomeAddress();
  });
  ASSERT_TRUE(api.ok());
  for (const char* symbol :
       {"cuMemAlloc_v2", "cuMemFree_v2", "cuStreamDestroy_v2", "cuStreamBeginCapture_v2",
        "cuDevicePrimaryCtxRelease_v2", "cuDeviceGetUuid_v2", "cuGraphInstantiateWithFlags"})
    EXPECT_TRUE(asked.contains(symbol)) << symbol;
  EXPECT_FALSE(asked.contains("cuMemAlloc"));
  EXPECT_TRUE(api->launch_kernel_ex);
  EXPECT_TRUE(api->tensor_map_encode_tiled);
}

TEST(DriverApi, NamesAMissingSymbol) {
  const auto api = BindDriverApi([](const char* symbol) {
    return std::string(symbol) == "cuGraphLaunch" ? nullptr : SomeAddress();
  });
  EXPECT_EQ(api.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(api.status().message(), HasSubstr("cuGraphLaunch"));
}

TEST(DriverApi, AnOldDriverLacksOnlyTheOptionalOnes) {
  const auto api = BindDriverApi([](const char* symbol) {
    const std::string name = symbol;
    return name == "cuLaunchKernelEx" || name == "cuTensorMapEncodeTiled" ? nullptr : SomeAddress();
  });
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  EXPECT_FALSE(api->launch_kernel_ex);
  EXPECT_FALSE(api->tensor_map_encode_tiled);
  EXPECT_TRUE(api->launch_kernel);
}

TEST(DriverApi, NamesAMissingLibrary) {
  const auto api = LoadDriverApi("libcuda-that-is-not-there.so.1");
  EXPECT_EQ(api.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(api.status().message(), HasSubstr("libcuda-that-is-not-there.so.1"));
}

// The toolkit's stub has every symbol and answers 34.
TEST(DriverApi, TheStubLibraryIsNoDriver) {
  const std::string stub = "/usr/local/cuda/lib64/stubs/libcuda.so";
  if (!std::filesystem::exists(stub))
    GTEST_SKIP() << "no toolkit";
  const auto api = LoadDriverApi(stub);
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  const auto devices = ProbeDevices(*api);
  EXPECT_EQ(devices.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(devices.status().message(), HasSubstr("CUDA error 34"));
}

}  // namespace
}  // namespace tw
