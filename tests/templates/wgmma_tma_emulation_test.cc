// The wgmma_tma kernels, run thread by thread on the host by an emulation of the instructions that
// they use. Inputs are small integers, so that all sums are exact; what no result may depend on is
// NaN.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/templates/emulation/gemm_case.h"
#include "tests/templates/emulation/machine.h"
#include "tests/templates/emulation/tensor_map.h"
#include "tw/families/wgmma_tma.cuh"
#include "tw/ptx/wgmma_bf16.cuh"
#include "tw/ptx/wgmma_f16.cuh"

namespace tw {

// The kernel's dynamic shared memory, of which it uses nothing but the shared address.
namespace wgmma_tma {
char shared[1];
}  // namespace wgmma_tma

namespace {

using emulation::CandidateOf;
using emulation::ProblemOf;
using emulation::Size;
using emulation::TensorMapShape;
using emulation::Traits;
using wgmma_tma::Plan;

// What a case chooses; the rest of the plan follows from the problem.
struct Knobs {
  int rows = 64, cols = 64, consumers = 1;
  bool pingpong = false;
  int stages = 3, cluster_rows = 1, cluster_cols = 1, group = 1, split_k = 1;
  bool swap = false, deferred = false, tma_store = true;
  int store_bytes = 16, rank = 2, blocks_per_sm = 1;
};

template <class P>
constexpr Plan MakePlan(const Knobs& knobs) {
  const bool split = knobs.split_k > 1;
  Plan plan{};
  plan.tile_rows = knobs.rows;
  plan.tile_cols = knobs.cols;
  plan.consumers = knobs.consumers;
  plan.pingpong = knobs.pingpong;
  plan.stages = knobs.stages;
  plan.cluster_rows = knobs.cluster_rows;
  plan.cluster_cols = knobs.cluster_cols;
  plan.group = knobs.group;
  plan.split_k = knobs.split_k;
  plan.swap = knobs.swap;
  plan.deferred = knobs.deferred;
  plan.tma_store = knobs.tma_store;
  plan.blocks_per_sm = knobs.blocks_per_sm;
  plan.element_bytes = static_cast<int>(sizeof(typename P::A));
  plan.row_k_major = knobs.swap ? !P::kBRowMajor : P::kARowMajor;
  plan.col_k_major = knobs.swap ? P::kARowMajor : !P::kBRowMajor;
  plan.lines_are_rows = (split || P::kDRowMajor) != knobs.swap;
  plan.out_bytes = split ? 4 : static_cast<int>(sizeof(typename P::D));
  plan.store_bytes = knobs.store_bytes;
  plan.map_rank = knobs.rank;
  return plan;
}

TensorMap Encode(TensorMapShape shape, const Plan& plan) {
  shape.rank = plan.map_rank;
  EXPECT_EQ(emulation::CheckTensorMap(shape), "");
  return emulation::EncodeTensorMap(shape);
}

// The maps as the host encodes them.
template <class P, Plan kPlan>
class Maps {
 public:
  explicit Maps(emulation::GemmCase<P>& test) : test_(test), size_(test.size()) {}

  void Put(TensorMap (&maps)[wgmma_tma::kMaps]) {
    constexpr int kRowShare = kPlan.tile_rows / kPlan.cluster_cols;
    constexpr int kColShare = kPlan.tile_cols / kPlan.cluster_rows;
    maps[0] = kPlan.swap ? OfB(kRowShare) : OfA(kRowShare);
    maps[1] = kPlan.swap ? OfA(kColShare) : OfB(kColShare);
    constexpr int kPiece = kSwizzleSpan / kPlan.out_bytes;
    if constexpr (kPlan.tma_store) {
      maps[2] = OfD(kPiece);
      if constexpr (kPlan.tile_cols % kPiece != 0)
        maps[3] = OfD(kPlan.tile_cols % kPiece);
    }
  }

 private:
  TensorMap OfA(int share) {
    return Operand(test_.a(), P::kARowMajor, size_.m, share, size_.broadcast_a);
  }

  TensorMap OfB(int share) {
    return Operand(test_.b(), !P::kBRowMajor, size_.n, share, size_.broadcast_b);
  }

  template <class Matrix>
  TensorMap Operand(const Matrix& matrix, bool k_major, int64 mn, int share, bool broadcast) {
    TensorMapShape shape;
    shape.address = matrix.data();
    shape.element_bytes = kPlan.element_bytes;
    shape.dims = {k_major ? size_.k : mn, k_major ? mn : size_.k, size_.batch};
    shape.strides = {matrix.ld() * kPlan.element_bytes, matrix.stride() * kPlan.element_bytes};
    static_cast<void>(broadcast);
    shape.box = {64, k_major ? share : 64, 1};
    shape.swizzle_bytes = kSwizzleSpan;
    return Encode(shape, kPlan);
  }

  // For pieces of `width` columns, in the kernel's words.
  TensorMap OfD(int width) {
    constexpr int kPiece = kSwizzleSpan / kPlan.out_bytes;
    TensorMapShape shape;
    shape.address = test_.d().data();
    shape.element_bytes = kPlan.out_bytes;
    shape.dims = {P::kDRowMajor ? size_.n : size_.m, P::kDRowMajor ? size_.m : size_.n,
                  size_.batch};
    shape.strides = {test_.d().ld() * kPlan.out_bytes, test_.d().stride() * kPlan.out_bytes};
    const bool packed = kPlan.lines_are_rows && width < kPiece;
    shape.box = kPlan.lines_are_rows ? std::array{width, 64, 1}
                                     : std::array{kPiece, std::min(width, kPlan.tile_cols), 1};
    shape.swizzle_bytes = packed ? 0 : kSwizzleSpan;
    return Encode(shape, kPlan);
  }

  emulation::GemmCase<P>& test_;
  const Size& size_;
};

// `clusters`: of the launch; 0: as many as there is work for.
template <class P, Knobs kKnobs>
std::string Launch(emulation::GemmCase<P>& test, int64 clusters) {
  constexpr Plan kPlan = MakePlan<P>(kKnobs);
  using Kernel = wgmma_tma::Gemm<P, CandidateOf<kPlan>>;
  TmaParams<wgmma_tma::kMaps> params{};
  params.gemm = test.Params();
  Maps<P, kPlan>(test).Put(params.maps);
  const Size& size = test.size();
  const int64 rows = kPlan.tile_rows * kPlan.cluster_rows;
  const int64 cols = kPlan.tile_cols * kPlan.cluster_cols;
  const int64 items = CeilDiv(size.m, kPlan.swap ? cols : rows) *
                      CeilDiv(size.n, kPlan.swap ? rows : cols) * size.batch * kPlan.split_k;
  static_assert(
      wgmma_tma::LaunchRegisters(kPlan) * wgmma_tma::Threads(kPlan) * kPlan.blocks_per_sm <=
          emulation::RegisterPool::kFile,
      "the register file holds the blocks");
  constexpr auto kCluster = static_cast<unsigned>(wgmma_tma::Clusters(kPlan));
  test.machine().Launch(
      {.blocks = kCluster * static_cast<unsigned>(clusters == 0 ? items : clusters),
       .threads = static_cast<unsigned>(Kernel::kThreads),
       .cluster = kCluster,
       .shared_bytes = static_cast<std::size_t>(Kernel::kSmemBytes),
       .shared_start = static_cast<std::uint32_t>(test.machine().Random() % 64 * 16),
       .registers = wgmma_tma::LaunchRegisters(kPlan)},
      [&] { Kernel::Run(params); });
  if constexpr (kPlan.split_k > 1)
    test.machine().Launch({.blocks = 2, .threads = 64},
                          [&] { SplitKReduce<P, kPlan.split_k>::Run(params.gemm); });
  return test.machine().error();
}

template <class P, Knobs kKnobs>
void RunCase(const Size& size, std::uint64_t seed = 1, int64 clusters = 0) {
  SCOPED_TRACE("m " + std::to_string(size.m) + " n " + std::to_string(size.n) + " k " +
               std::to_string(size.k) + " batch " + std::to_string(size.batch) + " seed " +
               std::to_string(seed));
  emulation::GemmCase<P> test(size, {.d = kKnobs.tma_store ? 16 : kKnobs.store_bytes},
                              kKnobs.split_k, seed);
  EXPECT_EQ((Launch<P, kKnobs>(test, clusters)), "");
  test.Check();
}

// A whole tile and more in every direction; less than one of anything; one element. With less,
// just and more than enough blocks.
template <class P, Knobs kKnobs>
void RunSizes(std::uint64_t seed = 1) {
  constexpr Plan kPlan = MakePlan<P>(kKnobs);
  constexpr int kTileM = kPlan.swap ? kPlan.tile_cols : kPlan.tile_rows;
  constexpr int kTileN = kPlan.swap ? kPlan.tile_rows : kPlan.tile_cols;
  RunCase<P, kKnobs>({kTileM + 3, kTileN + 7, 64 * 4 + 9}, seed, 1);
  RunCase<P, kKnobs>({kTileM * 2, kTileN, 64}, seed + 1, 2);
  RunCase<P, kKnobs>({7, 5, 64 * kKnobs.stages + 1}, seed + 2, 3);
  RunCase<P, kKnobs>({1, 1, 1}, seed + 3);
}

constexpr Traits kRowCol{};  // A and B are K-major
constexpr Traits kRowRow{.b_row = true};
constexpr Traits kColCol{.a_row = false};
constexpr Traits kColRow{.a_row = false, .b_row = true};

using Bf16 = ProblemOf<bf16, bf16, kRowCol>;
using F16 = ProblemOf<f16, f16, kRowCol>;
using F16ToFloat = ProblemOf<f16, float, kRowCol>;

TEST(WgmmaTmaKernel, OneTile) {
  RunCase<Bf16, Knobs{}>({64, 64, 64});
  RunCase<Bf16, Knobs{}>({64, 64, 320}, 2);
}

TEST(WgmmaTmaKernel, CooperativeConsumers) {
  RunSizes<Bf16, Knobs{}>();
  RunSizes<F16, Knobs{.rows = 128, .consumers = 2}>();
  RunSizes<Bf16, Knobs{.rows = 192, .consumers = 3, .stages = 2, .deferred = true}>();
}

TEST(WgmmaTmaKernel, Strips) {
  RunSizes<Bf16, Knobs{.rows = 128, .deferred = true}>();
  RunSizes<F16ToFloat, Knobs{.rows = 256, .cols = 32, .consumers = 2}>();
}

// Two blocks an SM: the consumer claims what the producer gives back.
TEST(WgmmaTmaKernel, Registers) {
  RunSizes<Bf16, Knobs{.rows = 192, .stages = 2, .blocks_per_sm = 2}>();
  RunSizes<Bf16, Knobs{.rows = 128, .consumers = 2, .stages = 2, .blocks_per_sm = 2}>();
}

TEST(WgmmaTmaKernel, PingPong) {
  RunSizes<Bf16, Knobs{.consumers = 2, .pingpong = true}>();
  RunSizes<F16ToFloat,
           Knobs{.rows = 128, .cols = 40, .consumers = 2, .pingpong = true, .deferred = true}>();
  RunCase<Bf16, Knobs{.consumers = 2, .pingpong = true, .stages = 4}>({300, 70, 130}, 5, 1);
}

template <class P, int kRows, int kCols>
void RunClusters() {
  RunSizes<P, Knobs{.rows = 128,
                    .cols = 128,
                    .consumers = 2,
                    .cluster_rows = kRows,
                    .cluster_cols = kCols}>();
  RunSizes<P, Knobs{.rows = 128,
                    .cols = 128,
                    .stages = 2,
                    .cluster_rows = kRows,
                    .cluster_cols = kCols,
                    .group = 2,
                    .swap = true,
                    .deferred = true}>();
}

TEST(WgmmaTmaKernel, Clusters) {
  RunClusters<Bf16, 2, 1>();
  RunClusters<Bf16, 1, 2>();
  RunClusters<Bf16, 2, 2>();
  RunClusters<ProblemOf<bf16, bf16, kColRow>, 2, 2>();
}

TEST(WgmmaTmaKernel, ClustersTakeTurns) {
  RunSizes<Bf16, Knobs{.cols = 48,
                       .consumers = 2,
                       .pingpong = true,
                       .cluster_rows = 2,
                       .cluster_cols = 2,
                       .deferred = true}>();
}

// Both ways that D may lie, swapped and not.
template <class T, class Out, Traits kTraits>
void RunLayout() {
  constexpr Traits kColumnD{.a_row = kTraits.a_row, .b_row = kTraits.b_row, .d_row = false};
  using Row = ProblemOf<T, Out, kTraits>;
  using Col = ProblemOf<T, Out, kColumnD>;
  RunSizes<Row, Knobs{.rows = 128, .consumers = 2}>();
  RunSizes<Row, Knobs{.rows = 128, .swap = true, .tma_store = false}>();
  RunSizes<Col, Knobs{.cols = 128, .swap = true, .deferred = true}>();
  RunSizes<Col, Knobs{.cols = 128, .tma_store = false}>();
}

TEST(WgmmaTmaKernel, Bf16InEveryLayout) {
  RunLayout<bf16, bf16, kRowCol>();
  RunLayout<bf16, bf16, kRowRow>();
  RunLayout<bf16, bf16, kColCol>();
  RunLayout<bf16, bf16, kColRow>();
}

TEST(WgmmaTmaKernel, F16WithF32OutputInEveryLayout) {
  RunLayout<f16, float, kRowCol>();
  RunLayout<f16, float, kRowRow>();
  RunLayout<f16, float, kColCol>();
  RunLayout<f16, float, kColRow>();
}

// D in whole pieces and a narrower last one, along its lines and across.
template <class T, class Out, int kCols>
void RunWidth() {
  constexpr Traits kColumnD{.d_row = false};
  using Row = ProblemOf<T, Out, kRowCol>;
  using Col = ProblemOf<T, Out, kColumnD>;
  constexpr Size kSize{70, kCols + 5, 70};
  RunCase<Row, Knobs{.cols = kCols, .stages = 2}>(kSize);
  RunCase<Col, Knobs{.cols = kCols, .stages = 2}>(kSize, 2);
  RunCase<Row, Knobs{.cols = kCols, .stages = 2, .tma_store = false}>(kSize, 3);
  RunCase<Col, Knobs{.cols = kCols, .stages = 2, .tma_store = false}>(kSize, 4);
}

template <int kCols>
void RunWidths() {
  RunWidth<bf16, bf16, kCols>();
  RunWidth<f16, float, kCols>();
}

TEST(WgmmaTmaKernel, NarrowTiles) {
  RunWidths<8>();
  RunWidths<16>();
  RunWidths<24>();
  RunWidths<40>();
}

TEST(WgmmaTmaKernel, WideTiles) {
  RunWidths<64>();
  RunWidths<72>();
  RunWidths<112>();
  RunWidths<200>();
  RunWidths<256>();
}

template <class Out, bool kSwap, int kStore>
void RunStore() {
  constexpr Traits kColumnD{.d_row = false};
  constexpr Knobs kKnobs{.cols = 72, .swap = kSwap, .tma_store = false, .store_bytes = kStore};
  RunSizes<ProblemOf<bf16, Out, kRowCol>, kKnobs>();
  RunSizes<ProblemOf<bf16, Out, kColumnD>, kKnobs>();
}

TEST(WgmmaTmaKernel, DirectStores) {
  RunStore<bf16, false, 16>();
  RunStore<bf16, true, 8>();
  RunStore<bf16, false, 4>();
  RunStore<bf16, true, 2>();
  RunStore<float, true, 16>();
  RunStore<float, false, 8>();
  RunStore<float, true, 4>();
}

TEST(WgmmaTmaKernel, SplitKLeavesTheSumToTheReduction) {
  constexpr Traits kTraits{.alpha = Scalar::kOther, .beta = Scalar::kOther, .bias = Bias::kCol};
  constexpr Traits kColumnD{.d_row = false};
  RunCase<ProblemOf<bf16, bf16, kTraits>, Knobs{.split_k = 3, .tma_store = false}>({70, 68, 320});
  RunCase<ProblemOf<bf16, bf16, kColumnD>,
          Knobs{.stages = 2, .split_k = 2, .swap = true, .tma_store = false, .store_bytes = 4}>(
      {70, 67, 130}, 2, 3);
  RunCase<Bf16, Knobs{.rows = 128,
                      .consumers = 2,
                      .split_k = 4,
                      .deferred = true,
                      .tma_store = false,
                      .store_bytes = 8,
                      .rank = 3}>({130, 66, 500, 2}, 3, 5);
  RunCase<
      F16ToFloat,
      Knobs{.consumers = 2, .pingpong = true, .split_k = 3, .tma_store = false, .store_bytes = 4}>(
      {130, 65, 500}, 4, 2);
}

template <Traits kTraits>
void RunEpilogue() {
  using P = ProblemOf<bf16, bf16, kTraits>;
  RunSizes<P, Knobs{}>();
  RunSizes<P, Knobs{.swap = true, .tma_store = false}>();
  RunSizes<ProblemOf<f16, float, kTraits>, Knobs{.cols = 24, .swap = true}>();
}

TEST(WgmmaTmaKernel, Epilogues) {
  RunEpilogue<Traits{.alpha = Scalar::kOther, .beta = Scalar::kOther}>();
  RunEpilogue<Traits{.d_row = false, .beta = Scalar::kOne, .bias = Bias::kRow}>();
  RunEpilogue<Traits{.alpha = Scalar::kOther, .bias = Bias::kCol}>();
}

TEST(WgmmaTmaKernel, Batches) {
  constexpr Knobs kKnobs{.rows = 128, .consumers = 2, .rank = 3};
  RunCase<Bf16, kKnobs>({130, 70, 70, 3});
  RunCase<Bf16, kKnobs>({130, 70, 70, 3, true}, 2, 2);
  RunCase<Bf16, kKnobs>({130, 70, 70, 3, false, true}, 3, 1);
  constexpr Traits kBoth{.alpha = Scalar::kOther, .beta = Scalar::kOther, .bias = Bias::kRow};
  RunCase<ProblemOf<bf16, bf16, kBoth>, Knobs{.tma_store = false, .store_bytes = 2, .rank = 3}>(
      {65, 66, 70, 2}, 5);
  constexpr Knobs kSwapped{
      .rows = 128, .consumers = 2, .pingpong = true, .cluster_cols = 2, .swap = true, .rank = 3};
  RunCase<ProblemOf<bf16, bf16, kColRow>, kSwapped>({130, 70, 70, 3, true}, 4, 2);
}

TEST(WgmmaTmaKernel, ManySeeds) {
  constexpr Knobs kKnobs{
      .rows = 128, .cols = 32, .consumers = 2, .stages = 2, .cluster_rows = 2, .deferred = true};
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    RunCase<Bf16, kKnobs>({200, 40, 200}, seed, 1);
}

// Kernels that lack an instruction: in how many of `kSeeds` runs an error or a wrong result shows.
constexpr int kSeeds = 6;

struct Tally {
  int errors = 0, wrong_results = 0, either = 0;
};

template <Knobs kKnobs>
Tally Break(const emulation::Fault& fault) {
  constexpr Size kSize{130, 130, 200};
  Tally tally;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    emulation::GemmCase<Bf16> test(kSize, {}, kKnobs.split_k, static_cast<std::uint64_t>(seed));
    test.machine().Inject(fault);
    const bool error = !Launch<Bf16, kKnobs>(test, 1).empty();
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

}  // namespace
}  // namespace tw
