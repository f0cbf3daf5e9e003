// mov.b32: two 16-bit values in one register.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

// `low` in the low half. The compiler fuses this with the conversions that made the halves.
TW_DEVICE uint32 PackPair(uint16 low, uint16 high) {
  uint32 word;
  asm("mov.b32 %0, {%1, %2};" : "=r"(word) : "h"(low), "h"(high));
  return word;
}

}  // namespace tw
