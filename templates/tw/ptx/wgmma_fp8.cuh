// wgmma of 8-bit floats in any mix, with f32 sums of which some 14 bits are kept from one
// instruction to the next.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"
#include "tw/ptx/wgmma.cuh"
#include "tw/ptx/wgmma_registers.cuh"

namespace tw {

#define TW_SUM(x) "+f"(x)
#define TW_WGMMA_FP8(A, B, i, a, b, scale, major_a, major_b) \
  TW_WGMMA_K_MAJOR(A, B, float, "k32.f32." #A "." #B, ", 1, 1", i, a, b, scale)

TW_WGMMA_EACH(TW_WGMMA_FP8, e4m3, e4m3)
TW_WGMMA_EACH(TW_WGMMA_FP8, e4m3, e5m2)
TW_WGMMA_EACH(TW_WGMMA_FP8, e5m2, e4m3)
TW_WGMMA_EACH(TW_WGMMA_FP8, e5m2, e5m2)

#undef TW_WGMMA_FP8
#undef TW_SUM

}  // namespace tw
