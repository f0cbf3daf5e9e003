// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/kernel_argument.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace tw {
namespace {

// Of the argument's struct; a tensor map may lie at no lower alignment.
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMapsOffset = (sizeof(GemmParams) + kAlignment - 1) / kAlignment * kAlignment;

DeviceAddress AddressOf(MapOperand operand, const GemmParams& params) {
  switch (operand) {
    case MapOperand::kA:
      return std::bit_cast<std::uintptr_t>(params.a);
    case MapOperand::kB:
      return std::bit_cast<std::uintptr_t>(params.b);
    case MapOperand::kD:
      return std::bit_cast<std::uintptr_t>(params.d);
  }
  return 0;
}

}  // namespace

Result<std::vector<std::byte>> KernelArgument(Device& device,
                                              std::span<const TensorMapRecipe> maps,
                                              const GemmParams& params) {
  std::vector<std::byte> argument = ArgumentBytes(params);
  if (maps.empty())
    return argument;
  argument.resize(kMapsOffset + maps.size() * sizeof(TensorMapBytes));
  std::size_t offset = kMapsOffset;
  for (const TensorMapRecipe& recipe : maps) {
    TW_ASSIGN_OR_RETURN(const TensorMapBytes map,
                        device.EncodeTensorMap(recipe, AddressOf(recipe.operand, params)));
    std::memcpy(argument.data() + offset, map.data(), map.size());
    offset += map.size();
  }
  return argument;
}

}  // namespace tw
