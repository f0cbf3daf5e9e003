// A ring of k blocks in shared memory that one thread fills by TMA and warpgroups empty: a `full`
// and an `empty` barrier a stage.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/ptx/mbarrier.cuh"

namespace tw {

// Where a thread stands in the ring: the stage, and the parity of its turn.
template <int kStages>
struct RingPosition {
  uint32 stage = 0;
  uint32 parity = 0;

  TW_DEVICE void Next() {
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }

  TW_DEVICE void Skip(uint32 blocks) {
    const uint32 to = stage + blocks;
    stage = to % kStages;
    parity ^= to / kStages & 1;
  }
};

template <int kStages, int kStageBytes>
struct TmaRing {
  uint32 tiles;     // shared address of the first stage
  uint32 barriers;  // 2 * kStages barriers

  TW_DEVICE uint32 Tile(uint32 stage) const { return tiles + stage * kStageBytes; }

  TW_DEVICE uint32 Full(uint32 stage) const { return barriers + stage * kMbarrierBytes; }

  TW_DEVICE uint32 Empty(uint32 stage) const { return Full(kStages + stage); }

  // By one thread; a barrier of all who use the ring follows. `releases`: arrivals that give a
  // stage back.
  TW_DEVICE void Init(int releases) const {
#pragma unroll 1
    for (uint32 i = 0; i < kStages; ++i) {
      MbarrierInit(Full(i), 1);
      MbarrierInit(Empty(i), releases);
    }
    MbarrierInitFence();
  }
};

}  // namespace tw
