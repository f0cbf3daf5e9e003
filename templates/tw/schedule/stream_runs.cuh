// Runs of k blocks over several tiles: the arithmetic of stream-K. Compiles on the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

// The tiles' k blocks, one tile behind the other, in equal runs. Requires: no more runs than k
// blocks.
struct StreamRuns {
  int64 k_blocks;  // of a tile
  int64 tiles;     // that are cut
  int64 runs;

  TW_HD constexpr int64 Begin(int64 run) const { return tiles * k_blocks * run / runs; }

  // Tiles, in part or whole, of a run.
  TW_HD constexpr int64 Pieces(int64 run) const {
    const int64 begin = Begin(run);
    const int64 end = Begin(run + 1);
    return begin == end ? 0 : (end - 1) / k_blocks - begin / k_blocks + 1;
  }

  // Of the tile with k block `at`, counted through all tiles: the last run that has a part of it.
  TW_HD constexpr int64 LastRunOfTile(int64 at) const {
    const int64 end = (at / k_blocks + 1) * k_blocks;
    int64 run = end * runs / (tiles * k_blocks);
    while (Begin(run) >= end)
      --run;
    return run;
  }
};

}  // namespace tw
