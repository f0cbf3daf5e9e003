// wgmma of bf16 with f32 sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"
#include "tw/ptx/wgmma.cuh"
#include "tw/ptx/wgmma_registers.cuh"

namespace tw {

TW_WGMMA_16BIT_ALL(bf16)

}  // namespace tw
