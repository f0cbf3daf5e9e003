// Emulation of templates/tw/ptx/sum_bits.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "tw/base.cuh"

namespace tw {

inline uint32 SumBits(float x) {
  return std::bit_cast<uint32>(x);
}

inline uint32 SumBits(int x) {
  return std::bit_cast<uint32>(x);
}

}  // namespace tw
