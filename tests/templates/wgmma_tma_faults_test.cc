// That the tests of the wgmma_tma kernels would show it if a kernel did something wrong.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <gtest/gtest.h>

#include "tests/templates/wgmma_tma_case.h"

namespace tw::wgmma_tma {
namespace {

// Kernels that lack an instruction: in how many of `kSeeds` runs an error or a wrong result shows.
constexpr int kSeeds = 6;

struct Tally {
  int errors = 0, wrong_results = 0, either = 0;
};

template <Knobs kKnobs>
Tally Break(const emulation::Fault& fault) {
  constexpr Size kSize = Storable<Bf16, kKnobs>({130, 130, 200});
  Tally tally;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    Case<Bf16, kKnobs> test(kSize, static_cast<std::uint64_t>(seed), 1);
    test.machine().Inject(fault);
    const bool error = !test.Run().empty();
    const bool wrong = test.CountWrong() > 0;
    tally.errors += error ? 1 : 0;
    tally.wrong_results += wrong ? 1 : 0;
    tally.either += error || wrong ? 1 : 0;
  }
  return tally;
}

constexpr Knobs kFourPieces{.cols = 256, .stages = 2};
constexpr Knobs kFourBlocks{.stages = 2, .cluster_rows = 2, .cluster_cols = 2};

using enum emulation::Instruction;

TEST(WgmmaTmaFaults, NoneShowsNone) {
  EXPECT_EQ(Break<kFourPieces>({kFenceProxyAsync, 1000}).either, 0);
}

TEST(WgmmaTmaFaults, MissingProxyFence) {
  EXPECT_EQ(Break<kFourPieces>({kFenceProxyAsync, 0}).errors, kSeeds);
  EXPECT_EQ(Break<kFourPieces>({kFenceProxyAsync, 2}).errors, kSeeds);
}

TEST(WgmmaTmaFaults, MissingBarrierBeforeABulkStore) {
  EXPECT_EQ(Break<kFourPieces>({kNamedBarrierSync, 1}).errors, kSeeds);
}

// Nothing waits for the products, so that their stage is given back too early.
TEST(WgmmaTmaFaults, StageGivenBackTooEarly) {
  EXPECT_EQ(Break<kFourBlocks>({kWgmmaWait, 0}).either, kSeeds);
  EXPECT_EQ(Break<kFourBlocks>({kWgmmaWait, 1}).either, kSeeds);
  constexpr Knobs kDeferred{.cols = 256, .stages = 2, .deferred = true};
  EXPECT_GT(Break<kDeferred>({kWgmmaWait, 1}).wrong_results, 0);
  EXPECT_EQ(Break<kDeferred>({kWgmmaWait, 0, true}).either, kSeeds);
}

TEST(WgmmaTmaFaults, WrongParity) {
  EXPECT_EQ(Break<kFourPieces>({kMbarrierWait, 0}).either, kSeeds);
  EXPECT_EQ(Break<kFourBlocks>({kMbarrierWait, 2}).either, kSeeds);
}

TEST(WgmmaTmaFaults, MissingArrival) {
  EXPECT_EQ(Break<kFourPieces>({kMbarrierArrive, 1}).errors, kSeeds);
  EXPECT_EQ(Break<kFourBlocks>({kMbarrierArrive, 1}).errors, kSeeds);
}

TEST(WgmmaTmaFaults, TooFewBytesExpected) {
  EXPECT_EQ(Break<kFourPieces>({kMbarrierExpect, 1}).errors, kSeeds);
  EXPECT_EQ(Break<kFourBlocks>({kMbarrierExpect, 0}).errors, kSeeds);
}

TEST(WgmmaTmaFaults, SlabWrittenWhileAStoreReadsIt) {
  EXPECT_GT(Break<kFourPieces>({kTmaStoreWaitRead, 2}).wrong_results, 0);
  EXPECT_GT(Break<kFourPieces>({kTmaStoreWaitRead, 0, true}).wrong_results, kSeeds / 2);
}

TEST(WgmmaTmaFaults, MissingWgmmaFence) {
  EXPECT_EQ(Break<kFourPieces>({kWgmmaFence, 0}).errors, kSeeds);
}

TEST(WgmmaTmaFaults, MbarriersUsedTooSoon) {
  EXPECT_EQ(Break<kFourPieces>({kMbarrierInitFence, 0}).errors, kSeeds);
  EXPECT_EQ(Break<kFourBlocks>({kClusterSync, 0}).errors, kSeeds);
}

// The last instruction of a cluster's kernel.
TEST(WgmmaTmaFaults, BlockThatEndsBeforeItsPeers) {
  EXPECT_EQ(Break<kFourBlocks>({kClusterSync, 1}).errors, kSeeds);
}

// Bytes outside of D that a case of just `size` writes, next to a right D.
template <class P, Knobs kKnobs>
int StrayBytes(const Size& size) {
  Case<P, kKnobs> test(size, 1, 1);
  EXPECT_EQ(test.Run(), "");
  EXPECT_EQ(test.CountWrong(), 0);
  return test.d().StrayBytes(size.batch);
}

// TMA writes the last unit of a line whole, also where D ends within it.
TEST(WgmmaTmaFaults, BulkStoreOfLinesThatEndWithinAUnit) {
  using ColToFloat = ProblemOf<f16, float, Traits{.d_row = false}>;
  EXPECT_EQ((StrayBytes<Bf16, Knobs{.rank = 3}>({70, 67, 64, 2})), 2 * 70 * 5 * 2);
  EXPECT_EQ((StrayBytes<Bf16, Knobs{.cols = 24}>({70, 17, 64})), 70 * 7 * 2);
  EXPECT_EQ((StrayBytes<F16ToFloat, Knobs{.swap = true}>({70, 67, 64})), 70 * 1 * 4);
  EXPECT_EQ((StrayBytes<ColToFloat, Knobs{}>({70, 67, 64})), 67 * 2 * 4);
  EXPECT_EQ((StrayBytes<Bf16, Knobs{}>({70, 72, 64})), 0);
  EXPECT_EQ((StrayBytes<Bf16, Knobs{.tma_store = false}>({70, 67, 64})), 0);
}

}  // namespace
}  // namespace tw::wgmma_tma
