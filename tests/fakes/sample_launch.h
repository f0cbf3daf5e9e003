// A launch plan with every field set to something of its own, for round trips.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/core/candidate.h"

namespace tw::fakes {

inline LaunchPlan SampleLaunchPlan() {
  KernelLaunch tma;
  tma.entry = "tw_tma";
  tma.grid = {12, 22, 3};
  tma.block = {384, 2, 1};
  tma.dynamic_smem_bytes = 200'000;
  tma.cluster = {2, 11, 3};
  tma.cooperative = true;
  tma.programmatic = true;
  tma.tensor_maps = {{.operand = MapOperand::kB,
                      .type = DType::kE4m3,
                      .rank = 5,
                      .dims = {100, 200, 300, 400, (1LL << 32)},
                      .strides = {16, 32, 48, (1LL << 40) - 16},
                      .box = {64, 256, 3, 2, 1},
                      .swizzle_bytes = 64,
                      .l2_promotion_bytes = 256},
                     {.operand = MapOperand::kD,
                      .type = DType::kF32,
                      .rank = 2,
                      .dims = {7, 8},
                      .strides = {4096},
                      .box = {32, 64},
                      .swizzle_bytes = 128,
                      .l2_promotion_bytes = 64}};
  KernelLaunch reduce;
  reduce.entry = "tw_reduce";
  return {
      .launches = {tma, reduce}, .workspace_bytes = 1LL << 40, .workspace_zero_bytes = 1LL << 33};
}

}  // namespace tw::fakes
