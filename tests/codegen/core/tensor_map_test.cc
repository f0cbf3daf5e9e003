// Every rule of a tensor map: what just meets it passes, what just breaks it is named.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/tensor_map.h"

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tw {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kAddress = 0x7000010;  // a multiple of 16, not of 32

// K-major bf16, 4096 x 1000, tiles of 128 rows.
TensorMapRecipe Recipe() {
  TensorMapRecipe recipe;
  recipe.operand = MapOperand::kB;
  recipe.rank = 3;
  recipe.dims = {1000, 4096, 7};
  recipe.strides = {2000, 8192000};
  recipe.box = {64, 128, 1};
  recipe.swizzle_bytes = 128;
  recipe.l2_promotion_bytes = 256;
  return recipe;
}

struct Row {
  std::string message;  // empty: passes
  std::function<void(TensorMapRecipe&)> change;
};

TEST(TensorMap, EveryRuleIsNamedAtItsEdge) {
  constexpr std::int64_t kBig = std::int64_t{1} << 32;
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  const std::vector<Row> rows{
      {"", [](auto&) {}},
      {"rank = 1: must be 2 to 5", [](auto& r) { r.rank = 1; }},
      {"rank = 6: must be 2 to 5", [](auto& r) { r.rank = 6; }},
      {"", [](auto& r) { r.rank = 2; }},
      {"dims[3] = 0: must be 1 to 2^32 elements", [](auto& r) { r.rank = 5; }},
      {"swizzle_bytes = 16: must be 0, 32, 64 or 128", [](auto& r) { r.swizzle_bytes = 16; }},
      {"swizzle_bytes = 256", [](auto& r) { r.swizzle_bytes = 256; }},
      {"l2_promotion_bytes = 32: must be 0, 64, 128 or 256",
       [](auto& r) { r.l2_promotion_bytes = 32; }},
      {"dims[0] = 0: must be 1 to 2^32 elements", [](auto& r) { r.dims[0] = 0; }},
      {"", [](auto& r) { r.dims[2] = kBig; }},
      {"dims[2] = 4294967297", [](auto& r) { r.dims[2] = kBig + 1; }},
      {"", [](auto& r) { r.dims[3] = -1; }},  // past the rank
      {"strides[0] = 2002: must be a multiple of 16 bytes below 2^40",
       [](auto& r) { r.strides[0] = 2002; }},
      {"strides[1] = 8192008", [](auto& r) { r.strides[1] = 8192008; }},
      {"strides[1] = -16", [](auto& r) { r.strides[1] = -16; }},
      {"strides[1] = 0: must not be 0 where the dimension has several items",
       [](auto& r) { r.strides[1] = 0; }},
      {"",
       [](auto& r) {
         r.strides[1] = 0;
         r.dims[2] = 1;
       }},
      {"", [](auto& r) { r.strides[1] = kFar - 16; }},
      {"strides[1] = 1099511627776", [](auto& r) { r.strides[1] = kFar; }},
      {"", [](auto& r) { r.box[1] = 256; }},
      {"box[1] = 257: must be 1 to 256 elements", [](auto& r) { r.box[1] = 257; }},
      {"box[2] = 0", [](auto& r) { r.box[2] = 0; }},
      {"", [](auto& r) { r.box[0] = 8; }},
      {"box[0] in bytes = 24: must be a multiple of 16", [](auto& r) { r.box[0] = 12; }},
      {"box[0] in bytes = 144: must be at most the swizzle's 128", [](auto& r) { r.box[0] = 72; }},
      {"box[0] in bytes = 128: must be at most the swizzle's 64",
       [](auto& r) { r.swizzle_bytes = 64; }},
      {"",
       [](auto& r) {
         r.swizzle_bytes = 0;
         r.box[0] = 256;
       }},
      {"box[0] in bytes = 256", [](auto& r) { r.type = DType::kF32; }},
      {"box[0] in bytes = 8",
       [](auto& r) {
         r.type = DType::kE4m3;
         r.box[0] = 8;
       }},
  };
  for (const Row& row : rows) {
    TensorMapRecipe recipe = Recipe();
    row.change(recipe);
    const Status status = CheckTensorMap(recipe, kAddress);
    EXPECT_EQ(status.ok(), row.message.empty()) << row.message << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr(row.message));
  }
}

TEST(TensorMap, TheAddressIsAMultipleOf16) {
  const Status status = CheckTensorMap(Recipe(), kAddress + 8);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "tensor map of b: address = 117440536: must be a multiple of 16");
}

TEST(TensorMap, OperandsHaveNames) {
  for (MapOperand operand : {MapOperand::kA, MapOperand::kB, MapOperand::kD})
    EXPECT_EQ(ParseMapOperand(Name(operand)), operand);
  EXPECT_FALSE(ParseMapOperand("c").has_value());
}

}  // namespace
}  // namespace tw
