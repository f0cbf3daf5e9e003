// Load on the memory system.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/vector.cuh"
#include "tw/verify/params.h"

namespace tw {

TW_DEVICE void Traffic(const TrafficParams& p) {
  using Line = Vec<uint32, 4>;
  int64 step = static_cast<int64>(gridDim.x) * blockDim.x;
  int64 at = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto* data = static_cast<const uint32*>(p.data);
  uint32 sum = 0;
  for (int64 i = 0; i < p.steps; ++i) {
    Line lines[kTrafficLoads];
#pragma unroll
    for (Line& line : lines) {
      line = LoadVec<4>(data + at * 4);
      at += step;
      if (at >= p.vectors)
        at -= p.vectors;
    }
#pragma unroll
    for (const Line& line : lines)
      sum += line.v[0] ^ line.v[1] ^ line.v[2] ^ line.v[3];
  }
  asm volatile("" : : "r"(sum));  // keeps the loads
}

}  // namespace tw
