// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/coverage.h"

#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems.h"

namespace tw {
namespace {

constexpr TypeSet kBf16{DType::kBf16, DType::kBf16, DType::kF32};

GemmProblem Batched(std::int64_t m, std::int64_t n, std::int64_t batch) {
  GemmProblem problem = Product(m, n, 64, kBf16);
  problem.batch = batch;
  return Normalize(problem).value();
}

TEST(Coverage, SampledPastTheLimitUnlessTheSampleIsMostOfD) {
  EXPECT_TRUE(IsSampled(Normalize(Product(32768, 131072, 1024, kBf16)).value()));
  EXPECT_FALSE(IsSampled(Normalize(Product(4096, 4096, 4096, kBf16)).value()));
  EXPECT_FALSE(IsSampled(Normalize(Product(512, 512, 1 << 23, kBf16)).value()));
}

TEST(Coverage, TilesLieInsideDAndCountAsAnnounced) {
  for (const GemmProblem& problem : {Batched(1000, 777, 3), Batched(64, 4096, 1)}) {
    const std::vector<Position> tiles = SampledTiles(problem, 5);
    EXPECT_EQ(static_cast<std::int64_t>(tiles.size()), SampledTileCount(problem));
    for (const Position& tile : tiles) {
      EXPECT_GE(std::min({tile.item, tile.row, tile.col}), 0);
      EXPECT_LT(tile.item, problem.batch);
      EXPECT_LE(tile.row + kReferenceTile, problem.m);
      EXPECT_LE(tile.col + kReferenceTile, problem.n);
    }
  }
}

// Every element within 64 of an edge of the first and the last item.
TEST(Coverage, EdgesAreCoveredWhole) {
  const GemmProblem problem = Batched(201, 330, 3);
  std::set<std::tuple<int64, int64, int64>> covered;
  for (const Position& tile : SampledTiles(problem, 5)) {
    for (std::int64_t i = 0; i < kTileSlots; ++i)
      covered.emplace(tile.item, tile.row + i / kReferenceTile, tile.col + i % kReferenceTile);
  }
  for (std::int64_t row = 0; row < problem.m; ++row) {
    for (std::int64_t col = 0; col < problem.n; ++col) {
      const bool edge = row < 64 || row >= problem.m - 64 || col < 64 || col >= problem.n - 64;
      EXPECT_TRUE(!edge || (covered.contains({0, row, col}) && covered.contains({2, row, col})));
    }
  }
}

TEST(Coverage, RandomTilesFollowNoGridAndTheSeed) {
  const GemmProblem problem = Batched(10000, 10000, 1);
  const std::vector<Position> tiles = SampledTiles(problem, 5);
  const std::vector<Position> others = SampledTiles(problem, 6);
  int off_grid = 0;
  int moved = 0;
  for (std::size_t i = tiles.size() - 512; i < tiles.size(); ++i) {
    off_grid += tiles[i].row % kReferenceTile != 0 && tiles[i].col % kReferenceTile != 0 ? 1 : 0;
    moved += tiles[i].row != others[i].row ? 1 : 0;
  }
  EXPECT_GT(off_grid, 450);
  EXPECT_GT(moved, 500);
}

// Slots of a tile follow D's lines, as D's elements do.
TEST(Coverage, SlotsFollowTheLinesOfD) {
  const Position tile{1, 10, 20};
  MatrixView d{nullptr, 200, 300, 2, 300, 60000, 1};
  const Coverage coverage{&tile, 1};
  EXPECT_EQ(SlotsOf(d, coverage), 4096);
  EXPECT_EQ(OffsetOf(d, PositionOfSlot(d, coverage, 65)), 60000 + 11 * 300 + 21);
  d.row_major = 0;
  d.ld = 200;
  EXPECT_EQ(OffsetOf(d, PositionOfSlot(d, coverage, 65)), 60000 + 21 * 200 + 11);
  EXPECT_EQ(SlotsOf(d, {}), d.Count());
}

TEST(Coverage, TextSaysHowMuch) {
  EXPECT_EQ(CoverageText(Batched(10, 10, 1), 0), "all of D");
  EXPECT_EQ(CoverageText(Batched(100, 1000, 1), 2), "sampled: 8192 of 100000 elements");
}

}  // namespace
}  // namespace tw
