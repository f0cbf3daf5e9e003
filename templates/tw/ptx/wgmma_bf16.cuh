// wgmma of bf16 with f32 sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"
#include "tw/ptx/wgmma.cuh"
#include "tw/ptx/wgmma_registers.cuh"

namespace tw {

#define TW_SUM(x) "+f"(x)

TW_WGMMA_EACH(TW_WGMMA_16BIT, bf16, bf16)

#undef TW_SUM

}  // namespace tw
