// Emulation of templates/tw/ptx/mbarrier.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/templates/emulation/barriers.h"
#include "tw/base.cuh"

namespace tw {

constexpr int kMbarrierBytes = 8;

inline void MbarrierInit(uint32 barrier, int arrivals) {
  emulation::InitBarrier(barrier, arrivals);
}

inline void MbarrierInitFence() {
  emulation::FenceBarrierInit();
}

inline void MbarrierArrive(uint32 barrier) {
  emulation::ArriveAt(barrier);
}

inline void MbarrierArriveRemote(uint32 barrier, uint32 rank) {
  emulation::ArriveAtRemote(barrier, rank);
}

inline void MbarrierArriveExpect(uint32 barrier, uint32 bytes) {
  emulation::ArriveExpecting(barrier, bytes);
}

inline void MbarrierWait(uint32 barrier, uint32 parity) {
  emulation::WaitForParity(barrier, parity);
}

}  // namespace tw
