// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/cuda_launch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tw {
namespace {

Status TooOld(const std::string& symbol, const std::string& what) {
  return {StatusCode::kUnavailable, "the CUDA driver lacks " + symbol + ", which " + what +
                                        " needs: it is too old, 12.0 or later is needed"};
}

// The attributes that a call asks for. A cluster of one block is not asked for: it would cost every
// launch half a microsecond.
class Attributes {
 public:
  explicit Attributes(const KernelCall& call) {
    if (std::any_of(call.cluster.begin(), call.cluster.end(), [](auto n) { return n != 1; }))
      Add(kCuLaunchClusterDimension).cluster = {call.cluster[0], call.cluster[1], call.cluster[2]};
    if (call.cooperative)
      Add(kCuLaunchCooperative).flag = 1;
    if (call.programmatic)
      Add(kCuLaunchProgrammaticStreamSerialization).flag = 1;
  }

  std::span<CuLaunchAttribute> Get() { return std::span(attributes_).first(count_); }

 private:
  CuLaunchAttributeValue& Add(CuLaunchAttributeId id) {
    CuLaunchAttribute& attribute = attributes_[count_++];
    attribute.id = id;
    return attribute.value;
  }

  std::array<CuLaunchAttribute, 3> attributes_{};
  std::size_t count_ = 0;
};

CuTensorMapType MapType(DType type) {
  switch (type) {
    case DType::kF64:
      return kCuTensorMapFloat64;
    case DType::kF32:
      return kCuTensorMapFloat32;
    case DType::kTf32:
      return kCuTensorMapTfloat32;
    case DType::kF16:
      return kCuTensorMapFloat16;
    case DType::kBf16:
      return kCuTensorMapBfloat16;
    case DType::kE4m3:
    case DType::kE5m2:
    case DType::kS8:
      return kCuTensorMapUint8;
    case DType::kS32:
      return kCuTensorMapInt32;
  }
  return kCuTensorMapUint8;
}

CuTensorMapSwizzle SwizzleOf(int bytes) {
  switch (bytes) {
    case 32:
      return kCuTensorMapSwizzle32;
    case 64:
      return kCuTensorMapSwizzle64;
    case 128:
      return kCuTensorMapSwizzle128;
    default:
      return kCuTensorMapSwizzleNone;
  }
}

CuTensorMapL2Promotion L2PromotionOf(int bytes) {
  switch (bytes) {
    case 64:
      return kCuTensorMapL2Promotion64;
    case 128:
      return kCuTensorMapL2Promotion128;
    case 256:
      return kCuTensorMapL2Promotion256;
    default:
      return kCuTensorMapL2PromotionNone;
  }
}

}  // namespace

Status LaunchCudaKernel(const DriverApi& driver,
                        const CudaCheck& check,
                        CuStream stream,
                        const KernelCall& call) {
  // The driver copies the argument before it returns and does not write to it.
  void* argument = const_cast<std::byte*>(call.argument.data());
  void* arguments[] = {argument};
  auto function = std::bit_cast<CuFunction>(static_cast<std::uintptr_t>(call.kernel.value));
  Attributes attributes(call);
  if (attributes.Get().empty()) {
    return check("cuLaunchKernel",
                 driver.launch_kernel(function, call.grid[0], call.grid[1], call.grid[2],
                                      call.block[0], call.block[1], call.block[2],
                                      call.dynamic_smem_bytes, stream, arguments, nullptr));
  }
  if (!driver.launch_kernel_ex)
    return TooOld("cuLaunchKernelEx", "a clustered, cooperative or programmatic launch");
  const CuLaunchConfig config{.grid_x = call.grid[0],
                              .grid_y = call.grid[1],
                              .grid_z = call.grid[2],
                              .block_x = call.block[0],
                              .block_y = call.block[1],
                              .block_z = call.block[2],
                              .dynamic_smem_bytes = call.dynamic_smem_bytes,
                              .stream = stream,
                              .attributes = attributes.Get().data(),
                              .attribute_count = static_cast<unsigned>(attributes.Get().size())};
  return check("cuLaunchKernelEx", driver.launch_kernel_ex(&config, function, arguments, nullptr));
}

Result<TensorMapBytes> EncodeCudaTensorMap(const DriverApi& driver,
                                           const CudaCheck& check,
                                           const TensorMapRecipe& recipe,
                                           DeviceAddress address) {
  TW_RETURN_IF_ERROR(CheckTensorMap(recipe, address));
  if (!driver.tensor_map_encode_tiled)
    return TooOld("cuTensorMapEncodeTiled", "a tensor map");
  constexpr std::array<std::uint32_t, 5> kElementStrides{1, 1, 1, 1, 1};
  std::array<std::uint64_t, 5> dims{};
  std::array<std::uint64_t, 4> strides{};
  std::array<std::uint32_t, 5> box{};
  std::copy(recipe.dims.begin(), recipe.dims.end(), dims.begin());
  std::copy(recipe.strides.begin(), recipe.strides.end(), strides.begin());
  std::copy(recipe.box.begin(), recipe.box.end(), box.begin());
  alignas(64) TensorMapBytes map{};  // the driver demands the alignment
  TW_RETURN_IF_ERROR(
      check("cuTensorMapEncodeTiled",
            driver.tensor_map_encode_tiled(
                map.data(), MapType(recipe.type), static_cast<unsigned>(recipe.rank),
                std::bit_cast<void*>(address), dims.data(), strides.data(), box.data(),
                kElementStrides.data(), kCuTensorMapInterleaveNone, SwizzleOf(recipe.swizzle_bytes),
                L2PromotionOf(recipe.l2_promotion_bytes), kCuTensorMapFillZeros)));
  return map;
}

}  // namespace tw
