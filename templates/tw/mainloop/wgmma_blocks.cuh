// What the main loops of a consumer warpgroup are made of: the products of one k block in the ring,
// and giving its stage back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/mainloop/tma_ring.cuh"
#include "tw/ptx/thread_groups.cuh"
#include "tw/ptx/wgmma.cuh"
#include "tw/wgmma_descriptor.h"

namespace tw {

// C gives: RowType, ColType (of the operands), Acc, kStages, kStageBytes, kStrips, kCols, kBlockK,
// kRowBytes (of the rows' tile, which comes first in a stage), kRowKMajor, kColKMajor, kClusterM,
// kClusterN.
template <class C>
struct WgmmaBlocks {
  using Ring = TmaRing<C::kStages, C::kStageBytes>;
  using Position = RingPosition<C::kStages>;
  using Accumulators = typename C::Acc[C::kStrips][C::kCols / 2];

  static constexpr int kElementBytes = sizeof(typename C::RowType);
  static constexpr int kSteps = C::kBlockK * kElementBytes / 32;
  static constexpr int kClusterSize = C::kClusterM * C::kClusterN;

  const Ring& ring;
  int first_strip;     // of the rows' tile
  int rank_m, rank_n;  // of the block in its cluster

  // Issues the products of the k block at `at`, as soon as it is there, as one group. Without
  // `accumulate` the first product does not read the sums: they need no clearing.
  TW_DEVICE void Multiply(Accumulators& acc, const Position& at, int accumulate) const {
    MbarrierWait(ring.Full(at.stage), at.parity);
    WgmmaFence();
    IssueSteps(acc, ring.Tile(at.stage), accumulate);
    WgmmaCommit();
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

 private:
  TW_DEVICE void IssueSteps(Accumulators& acc, uint32 tile, int accumulate) const {
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
        Wgmma<typename C::RowType, typename C::ColType, C::kCols>::template Run<!C::kRowKMajor,
                                                                                !C::kColKMajor>(
            acc[strip], kRowLayout | (rows + strip * kStrip + step * kRowStep),
            kColLayout | (cols + step * kColStep), step > 0 ? 1 : accumulate);
      }
    }
  }
};

}  // namespace tw
