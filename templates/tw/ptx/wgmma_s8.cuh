// wgmma of s8 with s32 sums, which wrap.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"
#include "tw/ptx/wgmma.cuh"
#include "tw/ptx/wgmma_registers.cuh"

namespace tw {

#define TW_SUM(x) "+r"(x)
#define TW_WGMMA_S8(A, B, i, a, b, scale, major_a, major_b) \
  TW_WGMMA_K_MAJOR(A, B, int, "k32.s32.s8.s8", "", i, a, b, scale)

TW_WGMMA_EACH(TW_WGMMA_S8, s8, s8)

#undef TW_WGMMA_S8
#undef TW_SUM

}  // namespace tw
