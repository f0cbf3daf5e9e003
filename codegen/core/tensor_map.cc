// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/tensor_map.h"

#include <algorithm>
#include <string>

#include "codegen/core/enum_names.h"

namespace tw {
namespace {

// In the order of the enumerators. The names are stored and sent: never change one.
constexpr std::array<std::string_view, 3> kOperandNames{"a", "b", "d"};

constexpr int kMinRank = 2;
constexpr int kMaxRank = 5;
constexpr std::int64_t kMaxDim = std::int64_t{1} << 32U;
constexpr std::int64_t kStrideLimit = std::int64_t{1} << 40U;
constexpr std::int64_t kMaxBox = 256;
constexpr std::int64_t kAlignment = 16;

Status Bad(std::string_view field, std::int64_t value, std::string_view rule) {
  return InvalidField(field, std::to_string(value), rule);
}

std::string At(std::string_view field, std::size_t index) {
  return std::string(field) + "[" + std::to_string(index) + "]";
}

template <std::size_t kCount>
bool IsOneOf(const std::array<int, kCount>& values, int value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

Status CheckDimension(const TensorMapRecipe& recipe, std::size_t i) {
  if (recipe.dims[i] < 1 || recipe.dims[i] > kMaxDim)
    return Bad(At("dims", i), recipe.dims[i], "must be 1 to 2^32 elements");
  if (recipe.box[i] < 1 || recipe.box[i] > kMaxBox)
    return Bad(At("box", i), recipe.box[i], "must be 1 to 256 elements");
  if (i == 0)
    return OkStatus();
  const std::int64_t stride = recipe.strides[i - 1];
  // Several items at one address: the driver's documentation leaves open what becomes of them.
  if (stride == 0 && recipe.dims[i] > 1)
    return Bad(At("strides", i - 1), stride, "must not be 0 where the dimension has several items");
  if (stride < 0 || stride >= kStrideLimit || stride % kAlignment != 0)
    return Bad(At("strides", i - 1), stride, "must be a multiple of 16 bytes below 2^40");
  return OkStatus();
}

Status CheckInnerBox(const TensorMapRecipe& recipe) {
  const std::int64_t bytes = std::int64_t{recipe.box[0]} * BytesOf(recipe.type);
  if (bytes % kAlignment != 0)
    return Bad("box[0] in bytes", bytes, "must be a multiple of 16");
  if (recipe.swizzle_bytes != 0 && bytes > recipe.swizzle_bytes) {
    return Bad("box[0] in bytes", bytes,
               "must be at most the swizzle's " + std::to_string(recipe.swizzle_bytes));
  }
  return OkStatus();
}

Status CheckAll(const TensorMapRecipe& recipe, std::uint64_t address) {
  TW_RETURN_IF_ERROR(CheckTensorMapForm(recipe));
  if (address % kAlignment != 0)
    return InvalidField("address", std::to_string(address), "must be a multiple of 16");
  for (std::size_t i = 0; i < static_cast<std::size_t>(recipe.rank); ++i)
    TW_RETURN_IF_ERROR(CheckDimension(recipe, i));
  return CheckInnerBox(recipe);
}

}  // namespace

std::string_view Name(MapOperand operand) {
  return NameIn(kOperandNames, operand);
}

std::optional<MapOperand> ParseMapOperand(std::string_view name) {
  return ParseIn<MapOperand>(kOperandNames, name);
}

Status CheckTensorMapForm(const TensorMapRecipe& recipe) {
  if (recipe.rank < kMinRank || recipe.rank > kMaxRank)
    return Bad("rank", recipe.rank, "must be 2 to 5");
  if (!IsOneOf<4>({0, 32, 64, 128}, recipe.swizzle_bytes))
    return Bad("swizzle_bytes", recipe.swizzle_bytes, "must be 0, 32, 64 or 128");
  if (!IsOneOf<4>({0, 64, 128, 256}, recipe.l2_promotion_bytes))
    return Bad("l2_promotion_bytes", recipe.l2_promotion_bytes, "must be 0, 64, 128 or 256");
  return OkStatus();
}

Status CheckTensorMap(const TensorMapRecipe& recipe, std::uint64_t address) {
  Status status = CheckAll(recipe, address);
  return status.ok() ? status
                     : status.WithContext("tensor map of " + std::string(Name(recipe.operand)));
}

}  // namespace tw
