// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/bank_conflicts.h"

#include <gtest/gtest.h>

namespace tw {
namespace {

struct WaysCase {
  int row_bytes, pad_bytes;
  bool swizzled;
  int ways;
};

class Ldmatrix : public testing::TestWithParam<WaysCase> {};

TEST_P(Ldmatrix, TakesTheKnownWays) {
  const WaysCase& c = GetParam();
  EXPECT_EQ(
      LdmatrixWays({.row_bytes = c.row_bytes, .pad_bytes = c.pad_bytes, .swizzled = c.swizzled}),
      c.ways);
}

// Eight rows fill 1024, 512, 256 or 128 bytes: as many rows share a chunk of banks.
INSTANTIATE_TEST_SUITE_P(Plain,
                         Ldmatrix,
                         testing::Values(WaysCase{16, 0, false, 1},
                                         WaysCase{32, 0, false, 2},
                                         WaysCase{64, 0, false, 4},
                                         WaysCase{128, 0, false, 8},
                                         WaysCase{256, 0, false, 8},
                                         WaysCase{96, 0, false, 2}));

INSTANTIATE_TEST_SUITE_P(Padded,
                         Ldmatrix,
                         testing::Values(WaysCase{64, 16, false, 1},
                                         WaysCase{128, 16, false, 1},
                                         WaysCase{256, 16, false, 1},
                                         WaysCase{128, 32, false, 2},
                                         WaysCase{128, 64, false, 4}));

INSTANTIATE_TEST_SUITE_P(Swizzled,
                         Ldmatrix,
                         testing::Values(WaysCase{16, 0, true, 1},
                                         WaysCase{32, 0, true, 1},
                                         WaysCase{64, 0, true, 1},
                                         WaysCase{128, 0, true, 1},
                                         WaysCase{256, 0, true, 1}));

// 16 x 64 in 16 bits, four warps with one ldmatrix.x4 each: the counter of a profiler.
TEST(ExtraWavefronts, OfATileOf128ByteRows) {
  const std::int64_t phases = LdmatrixPhases(16 * 64 * 2);
  EXPECT_EQ(phases, 16);
  EXPECT_EQ(ExtraWavefronts(LdmatrixWays({.row_bytes = 128}), phases), 112);
  EXPECT_EQ(ExtraWavefronts(LdmatrixWays({.row_bytes = 128, .swizzled = true}), phases), 0);
  EXPECT_EQ(ExtraWavefronts(LdmatrixWays({.row_bytes = 64}), phases), 48);
}

Candidate MmaSync(int tile_m, int tile_n, int tile_k) {
  Candidate candidate;
  candidate.config = {"mma_sync", {{"warp_m", 32}, {"warp_n", 32}}};
  candidate.resources.tile_m = tile_m;
  candidate.resources.tile_n = tile_n;
  candidate.resources.tile_k = tile_k;
  candidate.resources.threads = tile_m / 32 * (tile_n / 32) * 32;
  return candidate;
}

GemmProblem Problem(DType type, Major a, Major b) {
  GemmProblem problem;
  problem.m = problem.n = problem.k = 1024;
  problem.a.type = problem.b.type = type;
  problem.a.major = a;
  problem.b.major = b;
  return problem;
}

TEST(BankConflictsOf, MmaSyncReadsSixteenBitTilesWithoutAny) {
  for (const Major a : {Major::kRow, Major::kCol}) {
    for (const int tile : {32, 64, 128, 256}) {
      const auto conflicts =
          BankConflictsOf(Problem(DType::kBf16, a, Major::kCol), MmaSync(tile, tile, 64));
      ASSERT_TRUE(conflicts);
      EXPECT_EQ(conflicts->ways_a, 1) << tile;
      EXPECT_EQ(conflicts->ways_b, 1) << tile;
      EXPECT_EQ(conflicts->extra_wavefronts, 0) << tile;
    }
  }
}

// tw/swizzle.h: bytes that are transposed conflict 2-way in rows of 64 bytes, 4-way in rows of 32.
TEST(BankConflictsOf, MmaSyncTransposesNarrowByteTilesWithConflicts) {
  const GemmProblem problem = Problem(DType::kS8, Major::kCol, Major::kRow);
  const auto conflicts = BankConflictsOf(problem, MmaSync(64, 32, 128));
  ASSERT_TRUE(conflicts);
  EXPECT_EQ(conflicts->ways_a, 2);
  EXPECT_EQ(conflicts->ways_b, 4);
  // Two warps read 32 x 128 bytes of each operand: 64 wavefronts of either.
  EXPECT_EQ(conflicts->extra_wavefronts, 64 * 1 + 64 * 3);
  EXPECT_EQ(BankConflictsOf(problem, MmaSync(128, 128, 128))->extra_wavefronts, 0);
}

TEST(BankConflictsOf, MmaSyncReadsSingleElementsWithoutAny) {
  const auto conflicts =
      BankConflictsOf(Problem(DType::kTf32, Major::kCol, Major::kRow), MmaSync(64, 128, 32));
  ASSERT_TRUE(conflicts);
  EXPECT_EQ(conflicts->ways_a, 1);
  EXPECT_EQ(conflicts->ways_b, 1);
}

TEST(BankConflictsOf, HopperHasNoneAndSimtIsNotGuessed) {
  Candidate candidate = MmaSync(128, 128, 64);
  const GemmProblem problem = Problem(DType::kBf16, Major::kRow, Major::kCol);
  candidate.config.family = "wgmma_tma";
  ASSERT_TRUE(BankConflictsOf(problem, candidate));
  EXPECT_EQ(BankConflictsOf(problem, candidate)->extra_wavefronts, 0);
  candidate.config.family = "simt";
  EXPECT_FALSE(BankConflictsOf(problem, candidate));
}

}  // namespace
}  // namespace tw
