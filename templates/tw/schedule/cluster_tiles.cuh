// Work of persistent blocks: each cluster takes every gridDim-th group of tiles, its blocks one
// tile each. Blocks of the last groups may have tiles outside of D, which cost time and do no harm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/params.h"
#include "tw/schedule/tile_order.cuh"

namespace tw {

// A tile and a slice of k: first elements, and `blocks` k blocks, every block_step-th from
// first_block on.
struct TileWork {
  int m, n, batch, slice;
  int first_block, blocks, block_step;
  uint32 tile;      // number of the tile, batch included
  int helpers = 0;  // blocks behind this one that have the rest of the tile's k blocks
};

// No slice is empty: the host refuses more slices than k blocks.
//
// C gives: kTileM, kTileN, kClusterM, kClusterN, kGroup (tile rows swept together, whole clusters),
// kSplitK, kBlockK, kClusterSlices (the cluster's blocks are slices of one tile), kInterleaved
// (slices take k blocks in turns: neighbours in memory are read at the same time).
template <class C>
struct ClusterTiles {
  static constexpr uint32 kSharers = C::kClusterM * C::kClusterN;
  static constexpr uint32 kSlices = C::kClusterSlices ? C::kSplitK : 1;
  static constexpr uint32 kSize = kSharers * kSlices;

  WorkGrid<uint32> grid;  // in clusters
  uint32 items;
  int k_blocks;
  int rank_m, rank_n;  // of this block in its cluster

  explicit TW_DEVICE ClusterTiles(const GemmParams& p)
      : grid{static_cast<uint32>(CeilDiv(p.m, C::kTileM * C::kClusterM)),
             static_cast<uint32>(CeilDiv(p.n, C::kTileN * C::kClusterN)), C::kSplitK / kSlices,
             static_cast<uint32>(p.batch)},
        items(grid.tiles_m * grid.tiles_n * grid.slices * grid.batch),
        k_blocks(static_cast<int>(CeilDiv(p.k, C::kBlockK))),
        rank_m(static_cast<int>(blockIdx.x % kSharers / C::kClusterN)),
        rank_n(static_cast<int>(blockIdx.x % C::kClusterN)) {}

  TW_DEVICE uint32 First() const { return blockIdx.x / kSize; }

  TW_DEVICE uint32 Step() const { return gridDim.x / kSize; }

  TW_DEVICE TileWork At(uint32 index) const {
    constexpr uint32 kGroupClusters = C::kGroup < C::kClusterM ? 1 : C::kGroup / C::kClusterM;
    const WorkItem<uint32> item = MapWork<uint32>(index, grid, kGroupClusters);
    const int slice = static_cast<int>(C::kClusterSlices ? blockIdx.x % kSlices : item.slice);
    const SliceRange range = SliceOf(k_blocks, slice, C::kSplitK);
    return {(static_cast<int>(item.tile_m) * C::kClusterM + rank_m) * C::kTileM,
            (static_cast<int>(item.tile_n) * C::kClusterN + rank_n) * C::kTileN,
            static_cast<int>(item.batch),
            slice,
            C::kInterleaved ? slice : static_cast<int>(range.begin),
            static_cast<int>(range.end - range.begin),
            C::kInterleaved ? C::kSplitK : 1,
            (item.batch * grid.tiles_m + item.tile_m) * grid.tiles_n + item.tile_n};
  }

  // Of item `index`, alone: 0 behind the last.
  TW_DEVICE int BlocksAt(uint32 index) const {
    if (index >= items)
      return 0;
    if constexpr (C::kSplitK == 1)
      return k_blocks;
    return At(index).blocks;
  }
};

}  // namespace tw
