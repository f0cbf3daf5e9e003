// A block's own stopwatch: the SM's clock beside the device's timer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/calibrate/params.h"

namespace tw {

// Both clobber memory and are volatile, so that the loads, products and stores of the work stay
// between them.
TW_DEVICE int64 ReadClock() {
  int64 clock;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock) : : "memory");
  return clock;
}

TW_DEVICE int64 ReadTimer() {
  int64 ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns) : : "memory");
  return ns;
}

TW_DEVICE BlockTicks StartTicks() {
  __syncthreads();
  return {ReadClock(), ReadTimer()};
}

// Waits for the block, then writes what it took since `start`.
TW_DEVICE void StopTicks(const BlockTicks& start, BlockTicks* ticks) {
  __syncthreads();
  if (threadIdx.x == 0)
    ticks[blockIdx.x] = {ReadClock() - start.clocks, ReadTimer() - start.ns};
}

}  // namespace tw
