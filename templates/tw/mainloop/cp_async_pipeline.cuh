// The K loop of the mma.sync family: a ring of kStages shared-memory tiles filled kStages - 1 tiles
// ahead, fragments loaded one mma step ahead, one barrier per tile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/mainloop/fragments.cuh"
#include "tw/mainloop/operand_copy.cuh"

namespace tw {

// C gives: TypeA, TypeB, Acc, LayoutA, LayoutB, CopyA, CopyB, kWarpM, kWarpN,
// kStages (2 at least).
template <class C>
struct CpAsyncPipeline {
  using LayoutA = typename C::LayoutA;
  using LayoutB = typename C::LayoutB;
  using FragmentsA = Fragments<typename C::TypeA, LayoutA, C::kWarpM>;
  using FragmentsB = Fragments<typename C::TypeB, LayoutB, C::kWarpN>;

  static constexpr int kTilesM = C::kWarpM / 16;  // mma tiles of a warp
  static constexpr int kTilesN = C::kWarpN / 8;
  static constexpr int kSteps = LayoutA::kMmaSteps;
  static constexpr int kStages = C::kStages;
  static constexpr uint32 kStageBytes = LayoutA::kSize + LayoutB::kSize;
  static_assert(kSteps % 2 == 0, "the two fragment buffers alternate evenly over a tile");

  using Accumulators = typename C::Acc[kTilesM][kTilesN][4];

  // Position in the ring, as the shared address of a stage: A's tile, then B's.
  struct Slot {
    uint32 address;
    uint32 end;

    TW_DEVICE void Next() {
      address += kStageBytes;
      if (address == end)
        address -= kStages * kStageBytes;
    }
  };

  uint32 ring;  // shared address
  int lane_a, lane_b;
  int64 k_left;  // elements of K not yet asked for
  typename C::CopyA copy_a;
  typename C::CopyB copy_b;

  // `k`: elements of K that the block sums. `warp_m`, `warp_n`: first row and column of the warp in
  // the block's tile.
  TW_DEVICE CpAsyncPipeline(uint32 ring_address,
                            const OperandSource& a,
                            const OperandSource& b,
                            int64 k,
                            int warp_m,
                            int warp_n)
      : ring(ring_address),
        lane_a(LayoutA::LaneOffset(threadIdx.x % 32, warp_m)),
        lane_b(LayoutB::LaneOffset(threadIdx.x % 32, warp_n)),
        k_left(k),
        copy_a(a, threadIdx.x),
        copy_b(b, threadIdx.x) {}

  // Starts the next tile's copies, as one cp.async group whether there is such a tile or not.
  TW_DEVICE void Fetch(uint32 stage) {
    if (k_left > 0) {
      int k = static_cast<int>(Min(k_left, LayoutA::kTileK));
      copy_a.Fetch(stage, k);
      copy_b.Fetch(stage + LayoutA::kSize, k);
    }
    CpAsyncCommit();
  }

  // The part of a fetch that goes through registers.
  TW_DEVICE void Store(uint32 stage) {
    if (k_left > 0) {
      copy_a.Store(stage);
      copy_b.Store(stage + LayoutA::kSize);
    }
    k_left -= LayoutA::kTileK;
  }

  TW_DEVICE void Load(FragmentsA& a, FragmentsB& b, uint32 stage, int step) const {
    a.Load(stage, lane_a, step);
    b.Load(stage + LayoutA::kSize, lane_b, step);
  }

  static TW_DEVICE void Multiply(Accumulators& acc, FragmentsA& a, FragmentsB& b) {
    a.Convert();
    b.Convert();
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int j = 0; j < kTilesN; ++j) {
        // Back and forth, so that the next product shares its B with the last.
        int column = i % 2 == 0 ? j : kTilesN - 1 - j;
        MmaSync<typename C::TypeA, typename C::TypeB>::Run(acc[i][column], a.words + i * 4,
                                                           b.words + column * 2);
      }
    }
  }

  // acc += the products over all of k. Afterwards no copy is in flight and the ring is free once
  // every thread has passed a barrier.
  TW_DEVICE void Run(Accumulators& acc) {
    const uint32 end = ring + kStages * kStageBytes;
    int64 tiles = CeilDiv(k_left, LayoutA::kTileK);
    Slot write{ring, end};
#pragma unroll 1
    for (int stage = 0; stage < kStages - 1; ++stage) {
      Fetch(write.address);
      Store(write.address);
      write.Next();
    }
    Slot read{ring, end};
    // The last step of a tile is multiplied after the next tile's barrier, while its first
    // fragments load. Before the first tile that is a product of zeros.
    FragmentsA a[2];
    FragmentsB b[2];
    a[1].Clear();
    b[1].Clear();
#pragma unroll 1
    for (; tiles > 0; --tiles) {
      // The tile has arrived, and nobody reads the one before: its slot is free.
      CpAsyncWait<kStages - 2>();
      __syncthreads();
      Load(a[0], b[0], read.address, 0);
      Multiply(acc, a[1], b[1]);
#pragma unroll
      for (int step = 0; step < kSteps - 1; ++step) {
        Load(a[(step + 1) % 2], b[(step + 1) % 2], read.address, step + 1);
        if (step == 0)
          Fetch(write.address);
        Multiply(acc, a[step % 2], b[step % 2]);
      }
      Store(write.address);
      write.Next();
      read.Next();
    }
    Multiply(acc, a[1], b[1]);
    CpAsyncWait<0>();
  }
};

}  // namespace tw
