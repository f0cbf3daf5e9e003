// What a TensorMap holds on the emulated device, by the rules of cuTensorMapEncodeTiled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tw/tensor_map.h"

namespace tw::emulation {

// Innermost dimension first; sizes in elements, strides in bytes, strides[i] that of dimension
// i + 1.
struct TensorMapShape {
  const void* address = nullptr;
  int element_bytes = 2;
  int rank = 2;  // to 3
  std::array<std::int64_t, 3> dims{1, 1, 1};
  std::array<std::int64_t, 2> strides{};
  std::array<int, 3> box{1, 1, 1};
  int swizzle_bytes = 0;  // or 32, 64, 128
};

// What the driver would refuse; empty where it would not.
std::string CheckTensorMap(const TensorMapShape& shape);

// Requires: CheckTensorMap(shape) is empty.
TensorMap EncodeTensorMap(const TensorMapShape& shape);

// False where `map` does not hold one.
bool DecodeTensorMap(const TensorMap& map, TensorMapShape& shape);

}  // namespace tw::emulation
