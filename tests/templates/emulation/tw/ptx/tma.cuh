// Emulation of templates/tw/ptx/tma.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/templates/emulation/tma.h"
#include "tw/base.cuh"
#include "tw/tensor_map.h"

namespace tw {

struct TmaCoord {
  int x, y, z;
};

enum class L2Hint : uint64 {
  kNormal = 0x1000000000000000ull,
  kEvictFirst = 0x12F0000000000000ull,
  kEvictLast = 0x14F0000000000000ull,
};

inline void TmaPrefetchMap(const TensorMap& map) {
  emulation::TmaPrefetch(map);
}

template <int kRank>
void TmaLoad(uint32 shared, const TensorMap& map, uint32 barrier, TmaCoord at, L2Hint) {
  emulation::TmaLoadBox({shared, barrier, &map, kRank, {at.x, at.y, at.z}, 0});
}

template <int kRank>
void TmaLoadMulticast(
    uint32 shared, const TensorMap& map, uint32 barrier, TmaCoord at, L2Hint, uint16 blocks) {
  emulation::TmaLoadBox({shared, barrier, &map, kRank, {at.x, at.y, at.z}, blocks});
}

template <int kRank>
void TmaStore(const TensorMap& map, uint32 shared, TmaCoord at) {
  emulation::TmaStoreBox(map, kRank, shared, {at.x, at.y, at.z});
}

inline void TmaStoreCommit() {
  emulation::TmaCommitStores();
}

template <int kPending>
void TmaStoreWaitRead() {
  emulation::TmaWaitStoresRead(kPending);
}

inline void FenceProxyAsync() {
  emulation::ProxyFence();
}

}  // namespace tw
