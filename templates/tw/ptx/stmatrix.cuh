// stmatrix: 8x8 tiles of 16-bit elements from a warp's fragments to shared memory (sm_90 on).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

// Lane l holds in word i the elements (l / 4, 2 * (l % 4)) and the one after it of tile i, given as
// (row, column), and gives the address of row l % 8 of tile l / 8: 16 bytes, aligned. With two
// tiles the addresses of lanes 16 to 31 are not used. Transposed: addresses of columns instead of
// rows.
template <bool kTransposed>
TW_DEVICE void Stmatrix4(uint32 shared, const uint32 (&words)[4]) {
  if constexpr (kTransposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(shared), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
  } else {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(shared), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
  }
}

template <bool kTransposed>
TW_DEVICE void Stmatrix2(uint32 shared, const uint32 (&words)[2]) {
  if constexpr (kTransposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};"
                 :
                 : "r"(shared), "r"(words[0]), "r"(words[1])
                 : "memory");
  } else {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"
                 :
                 : "r"(shared), "r"(words[0]), "r"(words[1])
                 : "memory");
  }
}

}  // namespace tw
