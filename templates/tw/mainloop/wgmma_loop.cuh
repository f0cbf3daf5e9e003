// Main loop of a consumer warpgroup: multiplies the k blocks that stand in the ring.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/mainloop/tma_ring.cuh"
#include "tw/ptx/thread_groups.cuh"
#include "tw/ptx/wgmma.cuh"
#include "tw/wgmma_descriptor.h"

namespace tw {

// C gives: Type (of A and B), kStages, kStageBytes, kStrips, kCols, kBlockK, kRowBytes (of the
// rows' tile, which comes first in a stage), kRowKMajor, kColKMajor, kDeferred, kClusterM,
// kClusterN.
template <class C>
struct WgmmaLoop {
  using Ring = TmaRing<C::kStages, C::kStageBytes>;
  using Position = RingPosition<C::kStages>;
  using Accumulators = float[C::kStrips][C::kCols / 2];

  static constexpr int kElementBytes = sizeof(typename C::Type);
  static constexpr int kSteps = C::kBlockK * kElementBytes / 32;
  static constexpr int kClusterSize = C::kClusterM * C::kClusterN;

  const Ring& ring;
  int first_strip;     // of the rows' tile
  int rank_m, rank_n;  // of the block in its cluster

  // acc = the product of the next `blocks` k blocks, at least 1; `at` moves on behind them.
  TW_DEVICE void Run(Accumulators& acc, int blocks, Position& at) const {
    Finish(Issue(acc, blocks, at));
  }

  // As Run, but the last products may still be under way, until Finish of what this returns.
  TW_DEVICE uint32 Issue(Accumulators& acc, int blocks, Position& at) const {
    uint32 previous = at.stage;
#pragma unroll 1
    for (int block = 0; block < blocks; ++block) {
      MbarrierWait(ring.Full(at.stage), at.parity);
      WgmmaFence();
      Multiply(acc, ring.Tile(at.stage), block > 0);
      WgmmaCommit();
      if constexpr (C::kDeferred) {
        // One group stays in flight over the barrier of the next k block.
        WgmmaWait<1>();
        if (block > 0)
          Release(previous);
        previous = at.stage;
      } else {
        WgmmaWait<0>();
        Release(at.stage);
      }
      at.Next();
    }
    return previous;
  }

  TW_DEVICE void Finish(uint32 last_stage) const {
    if constexpr (C::kDeferred) {
      WgmmaWait<0>();
      Release(last_stage);
    }
  }

 private:
  // The first product of a tile does not read the sums: they need no clearing.
  TW_DEVICE void Multiply(Accumulators& acc, uint32 tile, int accumulate) const {
    constexpr uint64 kRowLayout = WgmmaDescriptor::Layout(C::kRowKMajor, C::kBlockK);
    constexpr uint64 kColLayout = WgmmaDescriptor::Layout(C::kColKMajor, C::kBlockK);
    constexpr uint32 kRowStep = WgmmaDescriptor::StepOfK(C::kRowKMajor, kElementBytes);
    constexpr uint32 kColStep = WgmmaDescriptor::StepOfK(C::kColKMajor, kElementBytes);
    constexpr uint32 kStrip = WgmmaDescriptor::Step64(C::kRowKMajor, C::kBlockK);
    const uint32 rows = WgmmaDescriptor::Start(tile) + first_strip * kStrip;
    const uint32 cols = WgmmaDescriptor::Start(tile + C::kRowBytes);
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
#pragma unroll
      for (int strip = 0; strip < C::kStrips; ++strip) {
        Wgmma<typename C::Type, C::kCols>::template Run<!C::kRowKMajor, !C::kColKMajor>(
            acc[strip], kRowLayout | (rows + strip * kStrip + step * kRowStep),
            kColLayout | (cols + step * kColStep), step > 0 ? 1 : accumulate);
      }
    }
  }

  // To every block that writes into this stage of ours: those of our cluster row and column.
  TW_DEVICE void Release(uint32 stage) const {
    const int thread = static_cast<int>(threadIdx.x) % kWarpgroupThreads;
    if constexpr (kClusterSize > 1) {
      if (thread < kClusterSize &&
          (thread / C::kClusterN == rank_m || thread % C::kClusterN == rank_n))
        MbarrierArriveRemote(ring.Empty(stage), thread);
    } else if (thread == 0) {
      MbarrierArrive(ring.Empty(stage));
    }
  }
};

}  // namespace tw
