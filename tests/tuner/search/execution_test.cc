// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/execution.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "tw/schedule/tile_order.cuh"

namespace tw {
namespace {

constexpr std::int64_t kSlots = 132;

GemmProblem Square() {
  GemmProblem problem;
  problem.m = problem.n = problem.k = 4096;
  return problem;
}

// 128 x 128 tiles: 32 by 32 of them.
Candidate Split(const std::string& family, int slices, int reduce) {
  Candidate candidate;
  candidate.config = {family, {{"group_m", 8}, {"split_k", slices}, {"reduce", reduce}}};
  candidate.resources.tile_m = candidate.resources.tile_n = 128;
  candidate.resources.split_k = slices;
  return candidate;
}

// Strips of A of one slice that the waves touch, by the kernels' own order of their work.
double StripsOfKernels(int slices) {
  const WorkGrid<std::int64_t> grid{32, 32, slices, 1};
  const std::int64_t items = 32 * 32 * slices;
  std::size_t strips = 0;
  for (std::int64_t begin = 0; begin < items; begin += kSlots) {
    std::set<std::tuple<std::int64_t, std::int64_t>> touched;  // slice, row
    for (std::int64_t i = begin; i < std::min(items, begin + kSlots); ++i) {
      const WorkItem<std::int64_t> item = MapWork<std::int64_t>(i, grid, 8);
      touched.insert({item.slice, item.tile_m});
    }
    strips += touched.size();
  }
  return static_cast<double>(strips) / slices;
}

// Waves that hold the end of a slice and the beginning of the next are counted as two.
TEST(TileOrderOf, AWaveHoldsTilesOfOneSlice) {
  for (const char* family : {"simt", "mma_sync", "wgmma_tma"}) {
    for (const int slices : {1, 2, 4}) {
      const TileOrder order = TileOrderOf(Square(), Split(family, slices, 0), kSlots);
      const double kernels = StripsOfKernels(slices);
      const TrafficShape a_alone{.m = 32, .n = 32, .k = 1, .a_bytes = 1};
      EXPECT_NEAR(DramBytes(a_alone, order, 0), kernels, 0.1 * kernels) << family << slices;
    }
  }
}

TEST(TileOrderOf, AClustersSlicesShareTheWave) {
  EXPECT_EQ(TileOrderOf(Square(), Split("wgmma_tma", 4, 2), kSlots).slots, kSlots / 4);
}

TEST(TileOrderOf, CutsAndGroupsAsTheConfigurationSays) {
  const TileOrder order = TileOrderOf(Square(), Split("mma_sync", 1, 0), kSlots);
  EXPECT_EQ(order.tiles_m, 32);
  EXPECT_EQ(order.tiles_n, 32);
  EXPECT_EQ(order.raster_group, 8);
  EXPECT_EQ(order.slots, kSlots);
}

}  // namespace
}  // namespace tw
