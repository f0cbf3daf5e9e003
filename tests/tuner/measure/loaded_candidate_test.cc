// What reaches the driver when a candidate is launched.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/loaded_candidate.h"

#include <bit>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/device/fake_driver.h"
#include "tuner/device/cuda_device.h"
#include "tuner/device/fake_device.h"
#include "tuner/measure/kernel_argument.h"

namespace tw {
namespace {

using testing::HasSubstr;

GemmParams Params() {
  GemmParams params{};
  params.a = std::bit_cast<const void*>(std::uintptr_t{0xa000});
  params.b = std::bit_cast<const void*>(std::uintptr_t{0xb000});
  params.d = std::bit_cast<void*>(std::uintptr_t{0xd000});
  params.m = 77;
  params.beta = 0.5;
  return params;
}

TensorMapRecipe MapOf(MapOperand operand) {
  TensorMapRecipe recipe;
  recipe.operand = operand;
  recipe.dims = {64, 32};
  recipe.strides = {128};
  recipe.box = {64, 32};
  return recipe;
}

template <class T>
T At(const std::vector<std::byte>& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// The struct that a kernel declares.
struct alignas(64) ThreeMaps {
  GemmParams params;

  struct alignas(64) Map {
    std::uint64_t opaque[16];
  } maps[3];
};

TEST(KernelArgument, IsTheParametersAloneWithoutMaps) {
  FakeDevice device{FakeScript{}};
  const GemmParams params = Params();
  EXPECT_EQ(KernelArgument(device, {}, params).value(), ArgumentBytes(params));
}

// The fake's maps begin with the address that they were encoded for.
TEST(KernelArgument, MapsFollowTheParametersInOrder) {
  FakeDevice device{FakeScript{}};
  const std::vector<TensorMapRecipe> maps{MapOf(MapOperand::kB), MapOf(MapOperand::kD),
                                          MapOf(MapOperand::kA)};
  const std::vector<std::byte> bytes = KernelArgument(device, maps, Params()).value();
  ASSERT_EQ(bytes.size(), sizeof(ThreeMaps));
  EXPECT_EQ(sizeof(ThreeMaps), 192U + 3U * 128U);
  const auto argument = At<ThreeMaps>(bytes, 0);
  EXPECT_EQ(argument.params.m, 77);
  EXPECT_EQ(argument.params.beta, 0.5);
  EXPECT_EQ(argument.maps[0].opaque[0], 0xb000U);
  EXPECT_EQ(argument.maps[1].opaque[0], 0xd000U);
  EXPECT_EQ(argument.maps[2].opaque[0], 0xa000U);
  EXPECT_EQ(At<std::uint64_t>(bytes, 160), 0U);
}

TEST(KernelArgument, ABadMapIsNamed) {
  FakeDevice device{FakeScript{}};
  GemmParams params = Params();
  params.d = std::bit_cast<void*>(std::uintptr_t{0xd004});
  const std::vector<TensorMapRecipe> maps{MapOf(MapOperand::kA), MapOf(MapOperand::kD)};
  EXPECT_THAT(KernelArgument(device, maps, params).status().message(),
              HasSubstr("tensor map of d: address = 53252: must be a multiple of 16"));
}

CandidateRun TwoLaunches() {
  KernelLaunch tma;
  tma.entry = "tma";
  tma.grid = {4, 2, 1};
  tma.cluster = {2, 1, 1};
  tma.cooperative = true;
  tma.programmatic = true;
  tma.tensor_maps = {MapOf(MapOperand::kA)};
  KernelLaunch reduce;
  reduce.entry = "reduce";
  CandidateRun run;
  run.launch = {.launches = {tma, reduce}, .workspace_bytes = 100, .workspace_zero_bytes = 60};
  return run;
}

TEST(LoadedCandidate, EachLaunchIsWhatThePlanSays) {
  FakeDriver fake;
  DriverApi driver = fake.Table();
  std::vector<int> attributes;
  std::vector<std::byte> argument;
  driver.tensor_map_encode_tiled = [](void* map, auto...) {
    std::memset(map, 0x77, sizeof(TensorMapBytes));
    return CuResult{kCuSuccess};
  };
  driver.launch_kernel_ex = [&](const CuLaunchConfig* config, CuFunction, void** arguments,
                                void**) {
    for (unsigned i = 0; i < config->attribute_count; ++i)
      attributes.push_back(config->attributes[i].id);
    const auto* first = static_cast<const std::byte*>(arguments[0]);
    argument.assign(first, first + 192 + 128);
    return CuResult{kCuSuccess};
  };
  auto device = OpenCudaDevice(driver, nullptr, "GPU-00102030-4050-6070-8090-a0b0c0d0e0f0").value();
  const auto candidate = LoadedCandidate::Load(*device, TwoLaunches());
  ASSERT_TRUE(candidate.ok()) << candidate.status().ToString();
  EXPECT_EQ(candidate->workspace_bytes(), 100);
  EXPECT_EQ(candidate->workspace_zero_bytes(), 60);
  ASSERT_TRUE(candidate->Launch(Params()).ok());
  EXPECT_THAT(attributes, testing::ElementsAre(4, 2, 6));
  EXPECT_EQ(At<GemmParams>(argument, 0).m, 77);
  EXPECT_EQ(argument[191], std::byte{0});
  EXPECT_EQ(argument[192], std::byte{0x77});
  EXPECT_EQ(argument.back(), std::byte{0x77});
  EXPECT_EQ(fake.calls["launch_kernel"], 1);  // the reduction
}

}  // namespace
}  // namespace tw
