// Emulation of templates/tw/ptx/pack.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

inline uint32 PackPair(uint16 low, uint16 high) {
  return low | static_cast<uint32>(high) << 16U;
}

}  // namespace tw
