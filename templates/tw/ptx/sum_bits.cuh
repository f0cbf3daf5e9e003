// The bits of a sum that wgmma made. A conversion that the front end understands it moves to where
// the sums are made: between products that still write them. NVRTC 13.0 then waits for too few of
// these (C7517, C7519), and the sums are wrong.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

TW_DEVICE uint32 SumBits(float x) {
  uint32 bits;
  asm("mov.b32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}

TW_DEVICE uint32 SumBits(int x) {
  return static_cast<uint32>(x);
}

}  // namespace tw
