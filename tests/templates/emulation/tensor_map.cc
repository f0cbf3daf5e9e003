// SPDX-License-Identifier: Apache-2.0
#include "tests/templates/emulation/tensor_map.h"

#include <cstring>

namespace tw::emulation {

namespace {

constexpr std::uint64_t kMagic = 0x70616d5f736e6574;

struct Encoded {
  std::uint64_t magic;
  TensorMapShape shape;
};

static_assert(sizeof(Encoded) <= sizeof(TensorMap));

}  // namespace

std::string CheckTensorMap(const TensorMapShape& shape) {
  constexpr std::int64_t kMaxDim = std::int64_t{1} << 32U;
  constexpr std::int64_t kStrideLimit = std::int64_t{1} << 40U;
  if (shape.rank != 2 && shape.rank != 3)
    return "rank " + std::to_string(shape.rank) + " is not emulated";
  if (reinterpret_cast<std::uintptr_t>(shape.address) % 16 != 0 || shape.address == nullptr)
    return "the address is no multiple of 16";
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.rank); ++i) {
    if (shape.dims[i] < 1 || shape.dims[i] > kMaxDim)
      return "dimension of " + std::to_string(shape.dims[i]);
    if (shape.box[i] < 1 || shape.box[i] > 256)
      return "box of " + std::to_string(shape.box[i]);
    if (i > 0 && (shape.strides[i - 1] < 0 || shape.strides[i - 1] >= kStrideLimit ||
                  shape.strides[i - 1] % 16 != 0))
      return "stride of " + std::to_string(shape.strides[i - 1]) + " bytes";
  }
  const int inner = shape.box[0] * shape.element_bytes;
  if (inner % 16 != 0)
    return "inner box of " + std::to_string(inner) + " bytes";
  if (shape.swizzle_bytes != 0 && shape.swizzle_bytes != 32 && shape.swizzle_bytes != 64 &&
      shape.swizzle_bytes != 128)
    return "swizzle of " + std::to_string(shape.swizzle_bytes) + " bytes";
  // The hardware takes narrower boxes too; where it puts their lines is not documented.
  if (shape.swizzle_bytes != 0 && inner != shape.swizzle_bytes)
    return "inner box of " + std::to_string(inner) + " bytes in a swizzle of " +
           std::to_string(shape.swizzle_bytes);
  return {};
}

TensorMap EncodeTensorMap(const TensorMapShape& shape) {
  const Encoded encoded{kMagic, shape};
  TensorMap map{};
  std::memcpy(map.bytes, &encoded, sizeof(encoded));
  return map;
}

bool DecodeTensorMap(const TensorMap& map, TensorMapShape& shape) {
  Encoded encoded{};
  std::memcpy(&encoded, map.bytes, sizeof(encoded));
  shape = encoded.shape;
  return encoded.magic == kMagic;
}

}  // namespace tw::emulation
