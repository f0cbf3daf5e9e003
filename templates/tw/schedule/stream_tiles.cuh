// Work of persistent blocks that share the last waves evenly (stream-K, Osama et al. 2023): their
// tiles' k blocks, one behind the other, are dealt out in equal runs. A tile that a run cuts is
// finished by the block that has its first k blocks, with the sums of the blocks behind it: those
// compute and leave them before anything else, so that hardly anybody waits. Tiles of full waves
// before the last one are whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/params.h"
#include "tw/schedule/cluster_tiles.cuh"
#include "tw/schedule/stream_runs.cuh"

namespace tw {

// C as for ClusterTiles, without clusters and splits.
template <class C>
struct StreamTiles {
  uint32 tiles_m, tiles_n;
  uint32 items;  // of this block
  int k_blocks;
  int rank_m = 0, rank_n = 0;
  StreamRuns runs;
  uint32 pieces;  // of this block's run

  explicit TW_DEVICE StreamTiles(const GemmParams& p)
      : tiles_m(static_cast<uint32>(CeilDiv(p.m, C::kTileM))),
        tiles_n(static_cast<uint32>(CeilDiv(p.n, C::kTileN))),
        k_blocks(static_cast<int>(CeilDiv(p.k, C::kBlockK))) {
    const uint32 tiles = tiles_m * tiles_n * static_cast<uint32>(p.batch);
    const uint32 whole = tiles < 2 * gridDim.x ? 0 : (tiles / gridDim.x - 1) * gridDim.x;
    runs = {k_blocks, tiles - whole, gridDim.x};
    pieces = static_cast<uint32>(runs.Pieces(blockIdx.x));
    items = pieces + whole / gridDim.x;
  }

  TW_DEVICE uint32 First() const { return 0; }

  TW_DEVICE uint32 Step() const { return 1; }

  // The run's pieces, then whole tiles.
  TW_DEVICE TileWork At(uint32 index) const {
    if (index >= pieces) {
      const int64 tile = runs.tiles + int64{index - pieces} * gridDim.x + blockIdx.x;
      return Piece(static_cast<uint32>(tile), 0, k_blocks, 0);
    }
    const int64 run_end = runs.Begin(blockIdx.x + 1);
    const int64 run_begin = runs.Begin(blockIdx.x);
    const int64 tile = run_begin / k_blocks + index;
    const int64 begin = Max(run_begin, tile * k_blocks);
    const int64 end = Min(run_end, (tile + 1) * k_blocks);
    const int first = static_cast<int>(begin - tile * k_blocks);
    const int blocks = static_cast<int>(end - begin);
    const int64 last = runs.LastRunOfTile(begin);
    return Piece(static_cast<uint32>(tile), first, blocks,
                 first == 0 ? static_cast<int>(last - blockIdx.x) : 0);
  }

 private:
  TW_DEVICE TileWork Piece(uint32 tile, int first, int blocks, int helpers) const {
    const WorkGrid<uint32> grid{tiles_m, tiles_n, 1, 1};
    const uint32 of_batch = tiles_m * tiles_n;
    const WorkItem<uint32> item = MapWork<uint32>(tile % of_batch, grid, C::kGroup);
    TileWork work;
    work.m = static_cast<int>(item.tile_m) * C::kTileM;
    work.n = static_cast<int>(item.tile_n) * C::kTileN;
    work.batch = static_cast<int>(tile / of_batch);
    work.slice = 0;
    work.first_block = first;
    work.blocks = blocks;
    work.block_step = 1;
    work.tile = tile;
    work.helpers = helpers;
    return work;
  }
};

}  // namespace tw
