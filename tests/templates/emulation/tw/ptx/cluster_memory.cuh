// Emulation of templates/tw/ptx/cluster_memory.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "tests/templates/emulation/machine.h"
#include "tw/base.cuh"
#include "tw/vector.cuh"

namespace tw {

template <class T>
void StoreSharedFour(uint32 shared, const Vec<T, 4>& x) {
  emulation::Current().WriteShared(shared, &x, 16);
}

template <class T>
Vec<T, 4> LoadClusterFour(uint32 shared, uint32 rank) {
  Vec<T, 4> x;
  std::memcpy(&x, emulation::Current().ClusterShared(shared, rank, 16), 16);
  return x;
}

}  // namespace tw
