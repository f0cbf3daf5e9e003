// wgmma of tf32 with f32 sums. It ignores the operands' low 13 bits: who loads them rounds them (a
// tensor map of tf32 does).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"
#include "tw/ptx/wgmma.cuh"
#include "tw/ptx/wgmma_registers.cuh"

namespace tw {

#define TW_SUM(x) "+f"(x)
#define TW_WGMMA_TF32(A, B, i, a, b, scale, major_a, major_b) \
  TW_WGMMA_K_MAJOR(A, B, float, "k8.f32.tf32.tf32", ", 1, 1", i, a, b, scale)

TW_WGMMA_EACH(TW_WGMMA_TF32, tf32, tf32)

#undef TW_WGMMA_TF32
#undef TW_SUM

}  // namespace tw
