// Emulation of templates/tw/ptx/thread_groups.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/templates/emulation/barriers.h"
#include "tw/base.cuh"

namespace tw {

constexpr int kWarpgroupThreads = 128;

inline int WarpUniform(int x) {
  return __shfl_sync(0xffffffffu, x, 0);
}

inline void NamedBarrierSync(int id, int threads) {
  const bool faulty = emulation::Current().Faulty(emulation::Instruction::kNamedBarrierSync);
  emulation::Current().SyncNamed(id, threads, !faulty);
}

inline void NamedBarrierArrive(int id, int threads) {
  emulation::Current().SyncNamed(id, threads, false);
}

inline void ClusterSync() {
  if (!emulation::Current().Faulty(emulation::Instruction::kClusterSync))
    emulation::Current().SyncCluster();
}

template <int kRegisters>
void ReleaseRegisters() {
  emulation::ReleaseRegistersTo(kRegisters);
}

template <int kRegisters>
void ClaimRegisters() {
  emulation::ClaimRegistersTo(kRegisters);
}

}  // namespace tw
