// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/cuda_launch.h"

#include <bit>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_driver.h"
#include "tuner/device/cuda_error.h"

namespace tw {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class CudaLaunch : public testing::Test {
 protected:
  CudaLaunch() {
    driver_.launch_kernel_ex = [this](const CuLaunchConfig* config, CuFunction function,
                                      void** arguments, void**) {
      ++fake_.calls["launch_kernel_ex"];
      config_ = *config;
      attributes_.assign(config->attributes, config->attributes + config->attribute_count);
      function_ = std::bit_cast<std::uintptr_t>(function);
      if (arguments[0] != nullptr)
        first_byte_ = *static_cast<const std::byte*>(arguments[0]);
      return CuResult{result_};
    };
  }

  Status Launch(const KernelCall& call) {
    return LaunchCudaKernel(driver_, check_, std::bit_cast<CuStream>(std::uintptr_t{0x5}), call);
  }

  [[nodiscard]] std::vector<int> Ids() const {
    std::vector<int> ids;
    for (const CuLaunchAttribute& attribute : attributes_)
      ids.push_back(attribute.id);
    return ids;
  }

  FakeDriver fake_;
  DriverApi driver_ = fake_.Table();
  CudaCheck check_ = [this](std::string_view what, CuResult code) {
    return CudaStatus(driver_, what, code);
  };
  CuLaunchConfig config_{};
  std::vector<CuLaunchAttribute> attributes_;
  std::uintptr_t function_ = 0;
  std::byte first_byte_{};
  CuResult result_ = kCuSuccess;
};

TEST_F(CudaLaunch, AnOrdinaryLaunchHasNoAttributes) {
  EXPECT_TRUE(Launch({}).ok());
  EXPECT_EQ(fake_.calls["launch_kernel"], 1);
  EXPECT_EQ(fake_.calls["launch_kernel_ex"], 0);
}

TEST_F(CudaLaunch, EachAttributeIsSetAloneWhereAskedFor) {
  ASSERT_TRUE(Launch({.kernel = {}, .cluster = {1, 2, 1}, .argument = {}}).ok());
  EXPECT_THAT(Ids(), ElementsAre(4));
  EXPECT_EQ(attributes_[0].value.cluster.x, 1U);
  EXPECT_EQ(attributes_[0].value.cluster.y, 2U);
  EXPECT_EQ(attributes_[0].value.cluster.z, 1U);
  ASSERT_TRUE(Launch({.kernel = {}, .cooperative = true, .argument = {}}).ok());
  EXPECT_THAT(Ids(), ElementsAre(2));
  EXPECT_EQ(attributes_[0].value.flag, 1);
  ASSERT_TRUE(Launch({.kernel = {}, .programmatic = true, .argument = {}}).ok());
  EXPECT_THAT(Ids(), ElementsAre(6));
  EXPECT_EQ(attributes_[0].value.flag, 1);
  EXPECT_EQ(fake_.calls["launch_kernel"], 0);
}

TEST_F(CudaLaunch, TheConfigurationIsTheCalls) {
  ASSERT_TRUE(Launch({.kernel = {0x70},
                      .grid = {2, 4, 6},
                      .block = {3, 5, 7},
                      .dynamic_smem_bytes = 9,
                      .cluster = {2, 4, 3},
                      .cooperative = true,
                      .programmatic = true,
                      .argument = {std::byte{42}}})
                  .ok());
  EXPECT_THAT(Ids(), ElementsAre(4, 2, 6));
  EXPECT_THAT((std::vector{config_.grid_x, config_.grid_y, config_.grid_z, config_.block_x,
                           config_.block_y, config_.block_z, config_.dynamic_smem_bytes}),
              ElementsAre(2, 4, 6, 3, 5, 7, 9));
  EXPECT_EQ(std::bit_cast<std::uintptr_t>(config_.stream), 0x5U);
  EXPECT_EQ(function_, 0x70U);
  EXPECT_EQ(first_byte_, std::byte{42});
}

TEST_F(CudaLaunch, ARefusalNamesTheCall) {
  result_ = 720;
  EXPECT_THAT(Launch({.kernel = {}, .cooperative = true, .argument = {}}).message(),
              HasSubstr("cuLaunchKernelEx: CUDA error 720"));
}

TEST_F(CudaLaunch, AnOldDriverRefusesOnlyWhatNeedsMore) {
  driver_.launch_kernel_ex = {};
  EXPECT_TRUE(Launch({}).ok());
  const Status status = Launch({.kernel = {}, .cluster = {2, 1, 1}, .argument = {}});
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("lacks cuLaunchKernelEx"));
}

// What the driver was asked to encode.
struct Encoded {
  int type = -1;
  std::uintptr_t address = 0;
  std::vector<std::uint64_t> dims;
  std::vector<std::uint64_t> strides;
  std::vector<std::uint32_t> box;
  std::vector<std::uint32_t> steps;
  int interleave = -1, swizzle = -1, promotion = -1, fill = -1;
  bool aligned = false;
};

class CudaTensorMap : public CudaLaunch {
 protected:
  CudaTensorMap() {
    driver_.tensor_map_encode_tiled =
        [this](void* map, int type, unsigned rank, void* address, const std::uint64_t* dims,
               const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps,
               int interleave, int swizzle, int promotion, int fill) {
          encoded_ = {type,
                      std::bit_cast<std::uintptr_t>(address),
                      {dims, dims + rank},
                      {strides, strides + rank - 1},
                      {box, box + rank},
                      {steps, steps + rank},
                      interleave,
                      swizzle,
                      promotion,
                      fill,
                      std::bit_cast<std::uintptr_t>(map) % 64 == 0};
          std::memset(map, 0xab, sizeof(TensorMapBytes));
          return CuResult{result_};
        };
  }

  Result<TensorMapBytes> Encode(const TensorMapRecipe& recipe, DeviceAddress address = 0x7000010) {
    return EncodeCudaTensorMap(driver_, check_, recipe, address);
  }

  static TensorMapRecipe Recipe() {
    TensorMapRecipe recipe;
    recipe.rank = 3;
    recipe.dims = {1000, 4096, 7};
    recipe.strides = {2048, 1 << 23};
    recipe.box = {8, 128, 1};
    return recipe;
  }

  Encoded encoded_;
};

TEST_F(CudaTensorMap, TheRecipeReachesTheDriver) {
  const auto map = Encode(Recipe());
  ASSERT_TRUE(map.ok()) << map.status().ToString();
  EXPECT_EQ(map->front(), std::byte{0xab});
  EXPECT_EQ(map->back(), std::byte{0xab});
  EXPECT_EQ(encoded_.address, 0x7000010U);
  EXPECT_THAT(encoded_.dims, ElementsAre(1000, 4096, 7));
  EXPECT_THAT(encoded_.strides, ElementsAre(2048, 1 << 23));
  EXPECT_THAT(encoded_.box, ElementsAre(8, 128, 1));
  EXPECT_THAT(encoded_.steps, ElementsAre(1, 1, 1));
  EXPECT_EQ(encoded_.interleave, 0);
  EXPECT_EQ(encoded_.fill, 0);
  EXPECT_TRUE(encoded_.aligned);
}

TEST_F(CudaTensorMap, TypesAndModesAreTheDriversNumbers) {
  const std::map<DType, int> types{{DType::kF64, 8},  {DType::kF32, 7},  {DType::kTf32, 11},
                                   {DType::kF16, 6},  {DType::kBf16, 9}, {DType::kE4m3, 0},
                                   {DType::kE5m2, 0}, {DType::kS8, 0},   {DType::kS32, 3}};
  ASSERT_EQ(types.size(), AllDTypes().size());
  for (const auto& [type, number] : types) {
    TensorMapRecipe recipe = Recipe();
    recipe.type = type;
    recipe.box[0] = 16;
    ASSERT_TRUE(Encode(recipe).ok());
    EXPECT_EQ(encoded_.type, number) << Name(type);
  }
  const std::map<int, int> swizzles{{0, 0}, {32, 1}, {64, 2}, {128, 3}};
  for (const auto& [bytes, number] : swizzles) {
    TensorMapRecipe recipe = Recipe();
    recipe.swizzle_bytes = bytes;
    ASSERT_TRUE(Encode(recipe).ok());
    EXPECT_EQ(encoded_.swizzle, number);
  }
  const std::map<int, int> promotions{{0, 0}, {64, 1}, {128, 2}, {256, 3}};
  for (const auto& [bytes, number] : promotions) {
    TensorMapRecipe recipe = Recipe();
    recipe.l2_promotion_bytes = bytes;
    ASSERT_TRUE(Encode(recipe).ok());
    EXPECT_EQ(encoded_.promotion, number);
  }
}

TEST_F(CudaTensorMap, ABadRecipeIsNamedBeforeTheDriverSeesIt) {
  TensorMapRecipe recipe = Recipe();
  recipe.strides[1] = 24;
  const Status status = Encode(recipe).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("tensor map of a"), HasSubstr("strides[1] = 24")));
  EXPECT_EQ(Encode(Recipe(), 8).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(encoded_.type, -1);
}

TEST_F(CudaTensorMap, AnOldDriverIsNamed) {
  result_ = kCuInvalidValue;
  EXPECT_THAT(Encode(Recipe()).status().message(), HasSubstr("cuTensorMapEncodeTiled: CUDA error"));
  driver_.tensor_map_encode_tiled = {};
  EXPECT_EQ(Encode(Recipe()).status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(Encode(Recipe()).status().message(), HasSubstr("lacks cuTensorMapEncodeTiled"));
}

}  // namespace
}  // namespace tw
