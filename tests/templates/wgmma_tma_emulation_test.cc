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
using wgmma_tma::Reduce;

// What a case chooses; the rest of the plan follows from the problem.
struct Knobs {
  int rows = 64, cols = 64, consumers = 1;
  bool pingpong = false;
  int stages = 3, cluster_rows = 1, cluster_cols = 1, group = 1, split_k = 1;
  bool swap = false, deferred = false, tma_store = true;
  int store_bytes = 16, blocks_per_sm = 1;
  Reduce reduce = Reduce::kKernel;
  int rank = 2;                                   // of the maps: 3 for a batch
  bool broadcast_a = false, broadcast_b = false;  // from maps of rank 2
};

template <class P>
constexpr Plan MakePlan(const Knobs& knobs) {
  const bool split = knobs.split_k > 1 && knobs.reduce == Reduce::kKernel;
  const int rank_a = knobs.broadcast_a ? 2 : knobs.rank;
  const int rank_b = knobs.broadcast_b ? 2 : knobs.rank;
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
  plan.reduce = knobs.reduce;
  plan.row_map_rank = knobs.swap ? rank_b : rank_a;
  plan.col_map_rank = knobs.swap ? rank_a : rank_b;
  plan.out_map_rank = knobs.rank;
  return plan;
}

TensorMap Encode(const TensorMapShape& shape) {
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
      constexpr int kRest = kPlan.tile_cols % kPiece;
      maps[2] = OfD(kPlan.tile_cols < kPiece ? kRest : kPiece);
      maps[3] = OfD(kRest == 0 ? kPiece : kRest);
    }
  }

 private:
  TensorMap OfA(int share) {
    return Operand(test_.a(), P::kARowMajor, size_.m, share,
                   kPlan.swap ? kPlan.col_map_rank : kPlan.row_map_rank);
  }

  TensorMap OfB(int share) {
    return Operand(test_.b(), !P::kBRowMajor, size_.n, share,
                   kPlan.swap ? kPlan.row_map_rank : kPlan.col_map_rank);
  }

  template <class Matrix>
  TensorMap Operand(const Matrix& matrix, bool k_major, int64 mn, int share, int rank) {
    TensorMapShape shape;
    shape.address = matrix.data();
    shape.element_bytes = kPlan.element_bytes;
    shape.rank = rank;
    shape.dims = {k_major ? size_.k : mn, k_major ? mn : size_.k, size_.batch};
    shape.strides = {matrix.ld() * kPlan.element_bytes, matrix.stride() * kPlan.element_bytes};
    shape.box = {64, k_major ? share : 64, 1};
    shape.swizzle_bytes = kSwizzleSpan;
    return Encode(shape);
  }

  // For pieces of `width` columns, in the kernel's words.
  TensorMap OfD(int width) {
    constexpr int kPiece = kSwizzleSpan / kPlan.out_bytes;
    TensorMapShape shape;
    shape.address = test_.d().data();
    shape.element_bytes = kPlan.out_bytes;
    shape.rank = kPlan.out_map_rank;
    shape.dims = {P::kDRowMajor ? size_.n : size_.m, P::kDRowMajor ? size_.m : size_.n,
                  size_.batch};
    shape.strides = {test_.d().ld() * kPlan.out_bytes, test_.d().stride() * kPlan.out_bytes};
    const bool packed = kPlan.lines_are_rows && width < kPiece;
    shape.box = kPlan.lines_are_rows ? std::array{width, 64, 1} : std::array{kPiece, width, 1};
    shape.swizzle_bytes = packed ? 0 : kSwizzleSpan;
    return Encode(shape);
  }

  emulation::GemmCase<P>& test_;
  const Size& size_;
};

// Clusters that have work each.
int64 ItemsOf(const Plan& plan, const Size& size) {
  const int64 rows = plan.tile_rows * plan.cluster_rows;
  const int64 cols = plan.tile_cols * plan.cluster_cols;
  const int64 slices = plan.reduce == Reduce::kCluster ? 1 : plan.split_k;
  return CeilDiv(size.m, plan.swap ? cols : rows) * CeilDiv(size.n, plan.swap ? rows : cols) *
         size.batch * slices;
}

// Of a launch of `clusters`.
emulation::Workspace WorkspaceOf(const Plan& plan, const Size& size, int64 clusters) {
  int64 counters = 0;
  switch (plan.reduce) {
    case Reduce::kKernel:
      return emulation::SliceWorkspace<float>(size, plan.split_k);
    case Reduce::kCluster:
      return {};
    case Reduce::kGrid:
      counters = clusters / plan.split_k;
      break;
    case Reduce::kStream:
      counters = clusters;
      break;
  }
  const int64 zeroed = counters * wgmma_tma::kCounterBytes;
  return {zeroed + clusters * wgmma_tma::SliceBytes(plan), zeroed};
}

// A case of a plan, with as many clusters as there is work for where `clusters` is 0.
template <class P, Knobs kKnobs>
class Case : public emulation::GemmCase<P> {
 public:
  static constexpr Plan kPlan = MakePlan<P>(kKnobs);
  using Kernel = wgmma_tma::Gemm<P, CandidateOf<kPlan>>;

  Case(const Size& size, std::uint64_t seed, int64 clusters)
      : emulation::GemmCase<P>(size,
                               {.d = kKnobs.tma_store ? 16 : kKnobs.store_bytes},
                               WorkspaceOf(kPlan, size, Clusters(size, clusters)),
                               seed),
        clusters_(Clusters(size, clusters)) {}

  // What the kernel did wrong, if anything.
  std::string Run() {
    TmaParams<wgmma_tma::kMaps> params{};
    params.gemm = this->Params();
    Maps<P, kPlan>(*this).Put(params.maps);
    emulation::Machine& machine = this->machine();
    machine.Launch(Shape(), [&] { Kernel::Run(params); });
    if constexpr (kPlan.split_k > 1 && kPlan.reduce == Reduce::kKernel)
      machine.Launch({.blocks = 2, .threads = 64},
                     [&] { SplitKReduce<P, kPlan.split_k>::Run(params.gemm); });
    return machine.error();
  }

  // As the next launch needs them.
  bool CountersAreZero() {
    const int64 bytes = WorkspaceOf(kPlan, this->size(), clusters_).zeroed;
    return std::all_of(this->WorkspaceData(), this->WorkspaceData() + bytes,
                       [](std::byte x) { return x == std::byte{0}; });
  }

 private:
  static constexpr auto kCluster = static_cast<unsigned>(wgmma_tma::ClusterBlocks(kPlan));
  static_assert(wgmma_tma::LaunchRegisters(kPlan) * wgmma_tma::Threads(kPlan) *
                        kPlan.blocks_per_sm <=
                    emulation::RegisterPool::kFile,
                "the register file holds the blocks");

  static int64 Clusters(const Size& size, int64 clusters) {
    return clusters == 0 ? ItemsOf(kPlan, size) : clusters;
  }

  emulation::LaunchShape Shape() {
    emulation::LaunchShape shape;
    shape.blocks = kCluster * static_cast<unsigned>(clusters_);
    shape.threads = static_cast<unsigned>(Kernel::kThreads);
    shape.cluster = kCluster;
    shape.together = kPlan.reduce == Reduce::kGrid || kPlan.reduce == Reduce::kStream;
    shape.shared_bytes = static_cast<std::size_t>(Kernel::kSmemBytes);
    shape.shared_start = static_cast<std::uint32_t>(this->machine().Random() % 64 * 16);
    shape.registers = wgmma_tma::LaunchRegisters(kPlan);
    return shape;
  }

  int64 clusters_;
};

template <class P, Knobs kKnobs>
void RunCase(const Size& size, std::uint64_t seed = 1, int64 clusters = 0) {
  SCOPED_TRACE("m " + std::to_string(size.m) + " n " + std::to_string(size.n) + " k " +
               std::to_string(size.k) + " batch " + std::to_string(size.batch) + " seed " +
               std::to_string(seed));
  Case<P, kKnobs> test(size, seed, clusters);
  EXPECT_EQ(test.Run(), "");
  EXPECT_TRUE(test.CountersAreZero());
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
  constexpr Traits kBoth{.alpha = Scalar::kOther, .beta = Scalar::kOther, .bias = Bias::kRow};
  RunCase<Bf16, Knobs{.rows = 128, .consumers = 2, .rank = 3}>({130, 70, 70, 3});
  RunCase<Bf16, Knobs{.rank = 3, .broadcast_a = true}>({130, 70, 70, 3, true}, 2, 2);
  RunCase<Bf16, Knobs{.rank = 3, .broadcast_b = true}>({130, 70, 70, 3, false, true}, 3, 1);
  RunCase<ProblemOf<bf16, bf16, kColRow>, Knobs{.rows = 128,
                                                .consumers = 2,
                                                .pingpong = true,
                                                .cluster_cols = 2,
                                                .swap = true,
                                                .rank = 3,
                                                .broadcast_a = true}>({130, 70, 70, 3, true}, 4, 2);
  RunCase<ProblemOf<bf16, bf16, kBoth>, Knobs{.tma_store = false, .store_bytes = 2, .rank = 3}>(
      {65, 66, 70, 2}, 5);
}

constexpr Traits kFullRow{.alpha = Scalar::kOther, .beta = Scalar::kOther, .bias = Bias::kCol};
constexpr Traits kFullCol{.d_row = false, .beta = Scalar::kOne, .bias = Bias::kRow};

template <Reduce kReduce, int kSplit>
void RunReduce() {
  using Row = ProblemOf<bf16, bf16, kFullRow>;
  using Col = ProblemOf<f16, float, kFullCol>;
  constexpr Knobs kTwo{.rows = 128,
                       .cols = 40,
                       .consumers = 2,
                       .split_k = kSplit,
                       .tma_store = false,
                       .reduce = kReduce};
  constexpr Knobs kSwapped{.split_k = kSplit,
                           .swap = true,
                           .deferred = true,
                           .tma_store = false,
                           .store_bytes = 4,
                           .reduce = kReduce,
                           .rank = 3};
  RunCase<Row, kTwo>({130, 50, 600});
  RunCase<Row, kTwo>({1, 1, 64 * kSplit}, 2);
  RunCase<Row, kSwapped>({70, 67, 64 * kSplit, 2}, 3);
  RunCase<Col, kSwapped>({67, 70, 500, 2}, 4);
  RunCase<Col, kTwo>({130, 7, 500}, 5);
}

TEST(WgmmaTmaKernel, SlicesSummedInTheGrid) {
  RunReduce<Reduce::kGrid, 2>();
  RunReduce<Reduce::kGrid, 5>();
}

TEST(WgmmaTmaKernel, SlicesSummedInTheCluster) {
  RunReduce<Reduce::kCluster, 2>();
  RunReduce<Reduce::kCluster, 4>();
}

template <class P, Knobs kKnobs>
void RunStream() {
  RunCase<P, kKnobs>({130, 130, 500}, 1, 4);    // runs over parts of tiles, none whole
  RunCase<P, kKnobs>({64, 64, 640}, 2, 5);      // one tile
  RunCase<P, kKnobs>({300, 200, 130}, 3, 4);    // whole tiles too
  RunCase<P, kKnobs>({129, 64, 64 * 7}, 4, 3);  // even runs
}

TEST(WgmmaTmaKernel, StreamK) {
  RunStream<ProblemOf<bf16, bf16, kFullRow>, Knobs{.reduce = Reduce::kStream}>();
  RunStream<ProblemOf<f16, float, kFullCol>, Knobs{.rows = 128,
                                                   .cols = 32,
                                                   .consumers = 2,
                                                   .swap = true,
                                                   .deferred = true,
                                                   .tma_store = false,
                                                   .reduce = Reduce::kStream}>();
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

}  // namespace
}  // namespace tw
