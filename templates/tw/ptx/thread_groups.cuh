// Warps, warpgroups and clusters: barriers, ranks, registers (sm_90 on).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

constexpr int kWarpgroupThreads = 128;

// A value that all lanes have in common, said so to the compiler.
TW_DEVICE int WarpUniform(int x) {
  return __shfl_sync(0xffffffffu, x, 0);
}

// `threads` threads of the block, a multiple of 32, meet at barrier `id`: 1 to 15.
TW_DEVICE void NamedBarrierSync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

// Counts at the barrier without waiting there.
TW_DEVICE void NamedBarrierArrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

// Every thread of every block of the cluster meets, and sees what the others wrote.
TW_DEVICE void ClusterSync() {
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;"
      :
      :
      : "memory");
}

// A warpgroup gives registers back, down to kRegisters a thread: 24 to 256, a multiple of 8.
template <int kRegisters>
TW_DEVICE void ReleaseRegisters() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(kRegisters));
}

// A warpgroup waits for registers, up to kRegisters a thread.
template <int kRegisters>
TW_DEVICE void ClaimRegisters() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(kRegisters));
}

}  // namespace tw
