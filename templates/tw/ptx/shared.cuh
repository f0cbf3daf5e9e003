// Words of shared memory by shared address, for tiles that asynchronous copies fill: the compiler
// may not move these accesses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

TW_DEVICE uint32 LoadSharedWord(uint32 shared) {
  uint32 word;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(shared) : "memory");
  return word;
}

TW_DEVICE void StoreSharedWord(uint32 shared, uint32 word) {
  asm volatile("st.shared.b32 [%0], %1;" : : "r"(shared), "r"(word) : "memory");
}

}  // namespace tw
