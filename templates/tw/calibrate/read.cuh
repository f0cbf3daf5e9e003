// Reading as fast as the memory system gives: coalesced 16-byte loads past the L1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/calibrate/ticks.cuh"
#include "tw/vector.cuh"

namespace tw {

// Volatile: nobody needs the value, and yet it must be loaded.
TW_DEVICE Vec<uint32, 4> LoadPastL1(const void* from) {
  Vec<uint32, 4> x;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(x.v[0]), "=r"(x.v[1]), "=r"(x.v[2]), "=r"(x.v[3])
               : "l"(from));
  return x;
}

TW_DEVICE void ReadPastL1(const CalibrateReadParams& p) {
  using Line = Vec<uint32, 4>;
  constexpr uint32 kNever = 0x9e3779b9u;  // the data are one byte, repeated
  const auto* data = static_cast<const Line*>(p.data);
  const int64 step = static_cast<int64>(gridDim.x) * blockDim.x;
  int64 at = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x;
  const BlockTicks start = StartTicks();
  uint32 sum = 0;
  for (int64 i = 0; i < p.loads; i += kCalibrateLoads) {
    Line lines[kCalibrateLoads];
#pragma unroll
    for (Line& line : lines) {
      line = LoadPastL1(data + at);
      at += step;
      if (at >= p.vectors)
        at -= p.vectors;
    }
#pragma unroll
    for (const Line& line : lines)
      sum |= line.v[0] | line.v[1] | line.v[2] | line.v[3];
  }
  if (sum == kNever)
    *p.sink = sum;
  StopTicks(start, p.ticks);
}

}  // namespace tw
