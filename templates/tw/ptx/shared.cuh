// Words of shared memory by shared address, for tiles that asynchronous copies fill or read: the
// compiler may not move these accesses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/vector.cuh"

namespace tw {

TW_DEVICE uint32 LoadSharedWord(uint32 shared) {
  uint32 word;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(shared) : "memory");
  return word;
}

TW_DEVICE void StoreSharedWord(uint32 shared, uint32 word) {
  asm volatile("st.shared.b32 [%0], %1;" : : "r"(shared), "r"(word) : "memory");
}

TW_DEVICE void StoreSharedHalf(uint32 shared, uint16 half) {
  asm volatile("st.shared.b16 [%0], %1;" : : "r"(shared), "h"(half) : "memory");
}

// Requires: an address that is a multiple of 8.
TW_DEVICE void StoreSharedPair(uint32 shared, uint32 first, uint32 second) {
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};"
               :
               : "r"(shared), "r"(first), "r"(second)
               : "memory");
}

// 1, 2, 4, 8 or 16 bytes. Requires: an address that is a multiple of them.
template <int kBytes>
TW_DEVICE typename RawOf<kBytes>::Type LoadSharedRaw(uint32 shared) {
  typename RawOf<kBytes>::Type x;
  if constexpr (kBytes == 1) {
    uint16 wide;
    asm volatile("ld.shared.u8 %0, [%1];" : "=h"(wide) : "r"(shared) : "memory");
    x = static_cast<uint8>(wide);
  } else if constexpr (kBytes == 2) {
    asm volatile("ld.shared.b16 %0, [%1];" : "=h"(x) : "r"(shared) : "memory");
  } else if constexpr (kBytes == 4) {
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x) : "r"(shared) : "memory");
  } else if constexpr (kBytes == 8) {
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
                 : "=r"(x.x), "=r"(x.y)
                 : "r"(shared)
                 : "memory");
  } else {
    static_assert(kBytes == 16, "1, 2, 4, 8 or 16 bytes");
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "r"(shared)
                 : "memory");
  }
  return x;
}

}  // namespace tw
