// Which output tile a block computes. Grouped raster: `group` tile rows are swept together along
// N, so that the tiles in flight form a compact rectangle and share their strips of A and B in
// the L2. Compiles on the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

template <class Int>
struct TileCoord {
  Int m, n;
};

// Tile of `index` in [0, tiles_m * tiles_n): a bijection. The last group has fewer rows where
// `group` does not divide tiles_m. Requires: group >= 1.
template <class Int>
TW_HD constexpr TileCoord<Int> GroupedTile(Int index, Int tiles_m, Int tiles_n, Int group) {
  Int group_tiles = group * tiles_n;
  Int first_m = index / group_tiles * group;
  Int in_group = index % group_tiles;
  Int rows = tiles_m - first_m < group ? tiles_m - first_m : group;
  return {first_m + in_group % rows, in_group / rows};
}

// All the blocks' work of a launch: every tile of every batch item, once per K slice.
template <class Int>
struct WorkGrid {
  Int tiles_m, tiles_n, slices, batch;
};

template <class Int>
struct WorkItem {
  Int tile_m, tile_n, slice, batch;
};

// Item of `index` in [0, tiles_m * tiles_n * slices * batch): tiles vary fastest, then slices.
template <class Int>
TW_HD constexpr WorkItem<Int> MapWork(Int index, const WorkGrid<Int>& grid, Int group) {
  Int tiles = grid.tiles_m * grid.tiles_n;
  TileCoord<Int> tile = GroupedTile(index % tiles, grid.tiles_m, grid.tiles_n, group);
  Int rest = index / tiles;
  return {tile.m, tile.n, rest % grid.slices, rest / grid.slices};
}

struct SliceRange {
  int64 begin, end;  // in k tiles
};

// Slice `slice` of `slices`: lengths differ by one tile at most, longer slices first.
TW_HD constexpr SliceRange SliceOf(int64 k_tiles, int64 slice, int64 slices) {
  int64 length = k_tiles / slices;
  int64 longer = k_tiles % slices;
  int64 begin = slice * length + Min(slice, longer);
  return {begin, begin + length + (slice < longer ? 1 : 0)};
}

}  // namespace tw
