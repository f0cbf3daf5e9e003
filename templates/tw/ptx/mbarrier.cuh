// mbarrier: barriers in shared memory that count arrivals and the bytes of asynchronous copies
// (sm_90 on). A barrier is named by its shared address; 8 bytes each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

constexpr int kMbarrierBytes = 8;

// A phase ends when `arrivals` threads have arrived and all expected bytes have landed.
TW_DEVICE void MbarrierInit(uint32 barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :
               : "r"(barrier), "r"(arrivals)
               : "memory");
}

// Makes the inits visible to the cluster and to asynchronous copies; a block or cluster barrier
// follows before anybody else uses them.
TW_DEVICE void MbarrierInitFence() {
  asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

TW_DEVICE void MbarrierArrive(uint32 barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(barrier) : "memory");
}

// Arrives at the barrier at the same address of block `rank` of the cluster. Without an explicit
// .release.cluster, which would be a fence of the whole GPU: what the waiting side overwrites was
// read by wgmma, and its completion is ordered already.
TW_DEVICE void MbarrierArriveRemote(uint32 barrier, uint32 rank) {
  asm volatile(
      "{\n.reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}"
      :
      : "r"(barrier), "r"(rank)
      : "memory");
}

// Arrives, and lets this phase wait for that many bytes more.
TW_DEVICE void MbarrierArriveExpect(uint32 barrier, uint32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(barrier), "r"(bytes)
               : "memory");
}

// Returns once the phase of this parity has ended: 0 for the first phase, then alternating. Parity
// 1 on a fresh barrier returns at once.
TW_DEVICE void MbarrierWait(uint32 barrier, uint32 parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "again_%=:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra ended_%=;\n"
      "bra again_%=;\n"
      "ended_%=:\n}"
      :
      : "r"(barrier), "r"(parity)
      : "memory");
}

}  // namespace tw
