// ldmatrix: four 8x8 tiles of 16-bit elements from shared memory into a warp's fragments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

// `words`: four registers. Lane l gives the address of row l % 8 (16 bytes, aligned) of tile l / 8
// and receives, in word i, bytes 4*(l % 4) to +3 of row l / 4 of tile i.
TW_DEVICE void Ldmatrix4(uint32 shared, uint32* words) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(shared)
               : "memory");
}

// Transposing: lane l receives in word i the elements (2*(l % 4), l / 4) and (2*(l % 4) + 1, l / 4)
// of tile i, given as (row, column).
TW_DEVICE void Ldmatrix4Trans(uint32 shared, uint32* words) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(shared)
               : "memory");
}

}  // namespace tw
