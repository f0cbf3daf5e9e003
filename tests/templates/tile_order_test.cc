// The raster order and the K slices: nothing left out, nothing twice.
// SPDX-License-Identifier: Apache-2.0
#include "tw/schedule/tile_order.cuh"

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace tw {
namespace {

TEST(TileOrder, VisitsEveryTileOnce) {
  for (uint32 tiles_m : {1U, 2U, 3U, 7U, 8U, 9U, 16U, 33U}) {
    for (uint32 tiles_n : {1U, 2U, 5U, 8U, 9U, 31U}) {
      for (uint32 group : {1U, 2U, 3U, 4U, 8U, 16U, 64U}) {
        std::vector<int> visits(tiles_m * tiles_n);
        for (uint32 index = 0; index < tiles_m * tiles_n; ++index) {
          TileCoord<uint32> tile = GroupedTile(index, tiles_m, tiles_n, group);
          ASSERT_LT(tile.m, tiles_m);
          ASSERT_LT(tile.n, tiles_n);
          ++visits.at(tile.m * tiles_n + tile.n);
        }
        EXPECT_EQ(std::count(visits.begin(), visits.end(), 1),
                  static_cast<std::ptrdiff_t>(visits.size()))
            << tiles_m << "x" << tiles_n << " group " << group;
      }
    }
  }
}

// 9 rows in groups of 8: eight rows are swept along N, then the ninth alone.
TEST(TileOrder, LastGroupIsShorter) {
  constexpr uint32 kTiles = 9;
  constexpr uint32 kGroup = 8;
  auto at = [](uint32 index) { return GroupedTile(index, kTiles, kTiles, kGroup); };
  EXPECT_EQ(at(7).m, 7U);
  EXPECT_EQ(at(7).n, 0U);
  EXPECT_EQ(at(8).m, 0U);
  EXPECT_EQ(at(8).n, 1U);
  EXPECT_EQ(at(71).m, 7U);
  EXPECT_EQ(at(71).n, 8U);
  EXPECT_EQ(at(72).m, 8U);
  EXPECT_EQ(at(72).n, 0U);
  EXPECT_EQ(at(80).n, 8U);
}

TEST(TileOrder, GroupOfOneGoesRowByRow) {
  for (int index = 0; index < 12; ++index) {
    TileCoord<int> tile = GroupedTile(index, 3, 4, 1);
    EXPECT_EQ(tile.m, index / 4);
    EXPECT_EQ(tile.n, index % 4);
  }
}

TEST(TileOrder, WorkCoversTilesSlicesAndBatch) {
  constexpr WorkGrid<int64> kGrid{9, 9, 3, 5};
  std::vector<int> visits(9 * 9 * 3 * 5);
  for (int64 index = 0; index < static_cast<int64>(visits.size()); ++index) {
    WorkItem<int64> item = MapWork<int64>(index, kGrid, 8);
    ++visits.at(static_cast<std::size_t>(((item.batch * 3 + item.slice) * 9 + item.tile_m) * 9 +
                                         item.tile_n));
  }
  EXPECT_EQ(std::count(visits.begin(), visits.end(), 1),
            static_cast<std::ptrdiff_t>(visits.size()));
}

TEST(TileOrder, IndicesBeyond32BitsStayExact) {
  constexpr int64 kLarge = int64{1} << 40;
  TileCoord<int64> last = GroupedTile<int64>(kLarge * 3 - 1, kLarge, 3, 8);
  EXPECT_EQ(last.m, kLarge - 1);
  EXPECT_EQ(last.n, 2);
}

TEST(TileOrder, SlicesPartitionK) {
  for (int64 tiles = 0; tiles < 70; ++tiles) {
    for (int64 slices : {1, 2, 3, 4, 7, 12, 64}) {
      int64 next = 0;
      int64 longest = 0;
      int64 shortest = std::numeric_limits<int64>::max();
      for (int64 slice = 0; slice < slices; ++slice) {
        SliceRange range = SliceOf(tiles, slice, slices);
        EXPECT_EQ(range.begin, next);
        next = range.end;
        longest = std::max(longest, range.end - range.begin);
        shortest = std::min(shortest, range.end - range.begin);
      }
      EXPECT_EQ(next, tiles);
      EXPECT_LE(longest - shortest, 1);
    }
  }
}

}  // namespace
}  // namespace tw
