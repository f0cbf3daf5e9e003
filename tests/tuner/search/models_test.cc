// The execution models of the search against values known from outside this project.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tuner/search/cost_model.h"
#include "tuner/search/pipeline_depth.h"
#include "tuner/search/smem_feed.h"
#include "tuner/search/traffic.h"

namespace tw {
namespace {

std::int64_t Tiles(std::int64_t size, std::int64_t tile) {
  return (size + tile - 1) / tile;
}

struct WaveCase {
  std::int64_t size, tiles;
  double percent;
};

class WaveQuantisation : public testing::TestWithParam<WaveCase> {};

// 256x128 tiles of an n x n product on the 108 SMs of an A100.
TEST_P(WaveQuantisation, MatchesKnownEfficiency) {
  const WaveCase& c = GetParam();
  const std::int64_t tiles = Tiles(c.size, 256) * Tiles(c.size, 128);
  EXPECT_EQ(tiles, c.tiles);
  EXPECT_NEAR(100 * WaveEfficiency(tiles, 108), c.percent, 0.05);
}

INSTANTIATE_TEST_SUITE_P(A100,
                         WaveQuantisation,
                         testing::Values(WaveCase{1536, 72, 66.7},
                                         WaveCase{1792, 98, 90.7},
                                         WaveCase{1793, 120, 55.6},
                                         WaveCase{2048, 128, 59.3},
                                         WaveCase{2304, 162, 75.0},
                                         WaveCase{2560, 200, 92.6}));

TEST(WaveEfficiency, FullWavesAreOne) {
  EXPECT_DOUBLE_EQ(WaveEfficiency(264, 132), 1.0);
  EXPECT_DOUBLE_EQ(WaveEfficiency(1, 1), 1.0);
}

struct DramCase {
  std::int64_t tile_m, tile_n;
  double time_us;
};

class DramTime : public testing::TestWithParam<DramCase> {};

// 4096^3 in 16-bit types on 132 SMs, one tile each, 3.35 TB/s, row-major tile order, no L2.
TEST_P(DramTime, MatchesKnownValue) {
  const DramCase& c = GetParam();
  const TrafficShape shape{
      .m = 4096, .n = 4096, .k = 4096, .a_bytes = 2, .b_bytes = 2, .d_bytes = 2};
  const TileOrder order{.tiles_m = Tiles(4096, c.tile_m),
                        .tiles_n = Tiles(4096, c.tile_n),
                        .raster_group = 1,
                        .slots = 132};
  EXPECT_NEAR(DramBytes(shape, order, 0) / 3.35e12 * 1e6, c.time_us, 1.0);
}

INSTANTIATE_TEST_SUITE_P(H100,
                         DramTime,
                         testing::Values(DramCase{64, 64, 336},
                                         DramCase{128, 128, 102},
                                         DramCase{128, 256, 61}));

struct StripCounts {
  double a_strips = 0, b_strips = 0;
};

// Brute force over the raster order that traffic.h describes.
StripCounts BruteForceStrips(const TileOrder& order) {
  std::vector<std::pair<std::int64_t, std::int64_t>> tiles;
  for (std::int64_t group = 0; group * order.raster_group < order.tiles_m; ++group) {
    const std::int64_t first = group * order.raster_group;
    const std::int64_t last = std::min(order.tiles_m, first + order.raster_group);
    for (std::int64_t column = 0; column < order.tiles_n; ++column) {
      for (std::int64_t row = first; row < last; ++row) {
        tiles.emplace_back(row, column);
      }
    }
  }
  StripCounts sum;
  for (std::size_t begin = 0; begin < tiles.size();
       begin += static_cast<std::size_t>(order.slots)) {
    std::set<std::int64_t> rows;
    std::set<std::int64_t> columns;
    const std::size_t end = std::min(tiles.size(), begin + static_cast<std::size_t>(order.slots));
    for (std::size_t i = begin; i < end; ++i) {
      rows.insert(tiles[i].first);
      columns.insert(tiles[i].second);
    }
    sum.a_strips += static_cast<double>(rows.size());
    sum.b_strips += static_cast<double>(columns.size());
  }
  return sum;
}

// Without an L2, of one operand alone, in strips of a byte.
double Strips(const TileOrder& order, int a_bytes, int b_bytes) {
  const TrafficShape shape{.m = order.tiles_m,
                           .n = order.tiles_n,
                           .k = 1,
                           .a_bytes = a_bytes,
                           .b_bytes = b_bytes,
                           .d_bytes = 0};
  return DramBytes(shape, order, 0);
}

TEST(DramBytes, WithoutAnL2EveryWaveReadsItsStrips) {
  for (const std::int64_t tiles_m : {1, 5, 13, 32}) {
    for (const std::int64_t tiles_n : {1, 4, 11, 30}) {
      for (const std::int64_t group : {1, 3, 8, 64}) {
        for (const std::int64_t slots : {4, 7, 12, 132}) {
          const TileOrder order{
              .tiles_m = tiles_m, .tiles_n = tiles_n, .raster_group = group, .slots = slots};
          const StripCounts expected = BruteForceStrips(order);
          EXPECT_EQ(Strips(order, 1, 0), expected.a_strips)
              << tiles_m << "x" << tiles_n << " group " << group << " slots " << slots;
          EXPECT_EQ(Strips(order, 0, 1), expected.b_strips)
              << tiles_m << "x" << tiles_n << " group " << group << " slots " << slots;
        }
      }
    }
  }
}

// 16384^3, 128x256 tiles, 82 SMs: row by row is far worse than compact groups.
TEST(DramBytes, CompactGroupsBeatRowMajorOrder) {
  const TrafficShape shape{
      .m = 16384, .n = 16384, .k = 16384, .a_bytes = 2, .b_bytes = 2, .d_bytes = 2};
  TileOrder order{.tiles_m = 128, .tiles_n = 64, .raster_group = 1, .slots = 82};
  const double row_major = DramBytes(shape, order, 0);
  order.raster_group = 16;
  EXPECT_LT(DramBytes(shape, order, 0), 0.5 * row_major);
}

TEST(DramBytes, IsCompulsoryWhereOperandsFitTheL2) {
  const TrafficShape shape{
      .m = 1024, .n = 1024, .k = 1024, .a_bytes = 2, .b_bytes = 2, .d_bytes = 2};
  const TileOrder order{.tiles_m = 16, .tiles_n = 16, .raster_group = 1, .slots = 132};
  EXPECT_DOUBLE_EQ(DramBytes(shape, order, 50 << 20), 3.0 * 1024 * 1024 * 2);
  EXPECT_GT(DramBytes(shape, order, 1 << 20), 3.0 * 1024 * 1024 * 2);
}

// 2048 x 28672 x 4096 in tiles of 128 x 176: all of A, 16 MiB, is in every wave, and 35 MB are
// touched from one to the next, however large B is.
TEST(DramBytes, AnL2ThatHoldsAWaveKeepsWhatEveryWaveReads) {
  const TrafficShape shape{
      .m = 2048, .n = 28672, .k = 4096, .a_bytes = 2, .b_bytes = 2, .d_bytes = 2};
  const TileOrder order{.tiles_m = 16, .tiles_n = 163, .raster_group = 16, .slots = 132};
  EXPECT_LT(DramBytes(shape, order, 60 << 20), 1.01 * CompulsoryBytes(shape));
  EXPECT_GT(DramBytes(shape, order, 30 << 20), 1.2 * CompulsoryBytes(shape));
}

// Two rows, four waves of four columns each. Of a row of A one wave is touched before it comes
// back, 54 bytes; of B all of it, all of D's row, and a row of A or, from the second wave on, both.
TEST(DramBytes, ARowFindsWhatThereIsRoomForSinceTheLast) {
  const TrafficShape shape{.m = 2, .n = 16, .k = 10, .a_bytes = 1, .b_bytes = 1, .d_bytes = 1};
  const TileOrder order{.tiles_m = 2, .tiles_n = 16, .raster_group = 1, .slots = 4};
  const double compulsory = CompulsoryBytes(shape);
  EXPECT_DOUBLE_EQ(DramBytes(shape, order, 0), compulsory + 6 * 10 + 160);
  // Of these 0.6 are of use: 90 and 198 bytes.
  EXPECT_DOUBLE_EQ(DramBytes(shape, order, 150),
                   compulsory + 40 * (1 - 90.0 / 186) + 120 * (1 - 90.0 / 196));
  EXPECT_DOUBLE_EQ(DramBytes(shape, order, 330), compulsory);
}

struct LittleCase {
  int tile_m, tile_n, tile_k;
  std::int64_t kib;
  double time_us, gb_per_s;
  int at_half_us, at_one_us, room;
};

class LittlesLaw : public testing::TestWithParam<LittleCase> {};

// H100: 2048 multiply-adds per clock and SM at 1.83 GHz, 227 KiB of shared memory.
TEST_P(LittlesLaw, MatchesKnownDepths) {
  const LittleCase& c = GetParam();
  const PipelineStage stage{
      .tile_m = c.tile_m, .tile_n = c.tile_n, .tile_k = c.tile_k, .element_bytes = 2};
  const double seconds = StageSeconds(stage, 2048, 1.83e9);
  EXPECT_EQ(StageBytes(stage), c.kib * 1024);
  EXPECT_NEAR(seconds * 1e6, c.time_us, 0.005);
  EXPECT_NEAR(StageBytesPerSecond(stage, 2048, 1.83e9) / 1e9, c.gb_per_s, 0.5);
  EXPECT_EQ(StagesNeeded(0.5e-6, seconds), c.at_half_us);
  EXPECT_EQ(StagesNeeded(1e-6, seconds), c.at_one_us);
  EXPECT_EQ(StagesThatFit(227 * 1024, StageBytes(stage)), c.room);
}

INSTANTIATE_TEST_SUITE_P(H100,
                         LittlesLaw,
                         testing::Values(LittleCase{128, 128, 32, 16, 0.14, 117, 5, 9, 14},
                                         LittleCase{128, 128, 64, 32, 0.28, 117, 3, 5, 7},
                                         LittleCase{128, 256, 64, 48, 0.56, 88, 2, 3, 4},
                                         LittleCase{256, 128, 64, 48, 0.56, 88, 2, 3, 4}));

TEST(SmemFeed, ReuseOfWarpTiles) {
  EXPECT_NEAR(FmaPerSmemByte(16, 8, 2), 2.7, 0.05);
  EXPECT_NEAR(FmaPerSmemByte(32, 32, 2), 8, 0.05);
  EXPECT_NEAR(FmaPerSmemByte(64, 32, 2), 10.7, 0.05);
  EXPECT_NEAR(FmaPerSmemByte(64, 64, 2), 16, 0.05);
  EXPECT_NEAR(FmaPerSmemByte(64, 256, 2), 25.6, 0.05);
  EXPECT_NEAR(FmaPerSmemByteAInRegisters(64, 256, 2), 32, 0.05);
}

TEST(SmemFeed, ReuseNeeded) {
  EXPECT_DOUBLE_EQ(FmaPerSmemByteNeeded(1024), 8);   // A100
  EXPECT_DOUBLE_EQ(FmaPerSmemByteNeeded(2048), 16);  // H100
}

TEST(SmemFeed, AccumulatorsPerThread) {
  EXPECT_EQ(AccumulatorsPerThread(64, 64, 32), 128);
  EXPECT_EQ(AccumulatorsPerThread(64, 256, 128), 128);
}

TEST(SmemFeed, SquarestWarpTile) {
  const WarpTile wide = SquarestWarpTile(128, 256, 8);
  EXPECT_EQ(wide.m, 64);
  EXPECT_EQ(wide.n, 64);
  const WarpTile single = SquarestWarpTile(16, 64, 1);
  EXPECT_EQ(single.m, 16);
  EXPECT_EQ(single.n, 64);
}

}  // namespace
}  // namespace tw
