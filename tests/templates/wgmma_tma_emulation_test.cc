// The wgmma_tma kernels, run thread by thread on the host by an emulation of the instructions that
// they use. Inputs are small integers, so that all sums are exact; what no result may depend on is
// NaN.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/templates/wgmma_tma_case.h"

namespace tw::wgmma_tma {

// The kernel's dynamic shared memory, of which it uses nothing but the shared address.
char shared[1];

namespace {

constexpr Traits kRowCol{};  // A and B are K-major
constexpr Traits kRowRow{.b_row = true};
constexpr Traits kColCol{.a_row = false};
constexpr Traits kColRow{.a_row = false, .b_row = true};

TEST(WgmmaTmaKernel, OneTile) {
  RunCase<Bf16, Knobs{}>({64, 64, 64});
  RunCase<Bf16, Knobs{}>({64, 64, 320}, 2);
}

TEST(WgmmaTmaKernel, CooperativeConsumers) {
  RunSizes<Bf16, Knobs{}>();
  RunSizes<F16, Knobs{.rows = 128, .consumers = 2}>();
  RunSizes<Bf16, Knobs{.rows = 192, .consumers = 3, .stages = 2, .deferred = true}>();
  RunSizes<Bf16, Knobs{.rows = 128, .consumers = 2, .tma_store = false}>();
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
  RunSizes<Bf16, Knobs{.consumers = 2, .pingpong = true, .tma_store = false}>();
  RunCase<Bf16, Knobs{.consumers = 2, .pingpong = true, .stages = 4}>({300, 70, 130}, 5, 1);
}

template <class P, int kRows, int kCols, bool kTmaStore = true>
void RunClusters() {
  RunSizes<P, Knobs{.rows = 128,
                    .cols = 128,
                    .consumers = 2,
                    .cluster_rows = kRows,
                    .cluster_cols = kCols,
                    .tma_store = kTmaStore}>();
  RunSizes<P, Knobs{.rows = 128,
                    .cols = 128,
                    .stages = 2,
                    .cluster_rows = kRows,
                    .cluster_cols = kCols,
                    .group = 2,
                    .swap = true,
                    .deferred = true,
                    .tma_store = kTmaStore}>();
}

TEST(WgmmaTmaKernel, Clusters) {
  RunClusters<Bf16, 2, 1>();
  RunClusters<Bf16, 1, 2>();
  RunClusters<Bf16, 2, 2>();
  RunClusters<Bf16, 2, 2, false>();
  RunClusters<ProblemOf<bf16, bf16, kColRow>, 2, 2>();
}

template <bool kTmaStore>
void RunTurns() {
  RunSizes<Bf16, Knobs{.cols = 48,
                       .consumers = 2,
                       .pingpong = true,
                       .cluster_rows = 2,
                       .cluster_cols = 2,
                       .deferred = true,
                       .tma_store = kTmaStore}>();
}

TEST(WgmmaTmaKernel, ClustersTakeTurns) {
  RunTurns<true>();
  RunTurns<false>();
}

// Every kind of operands that must lie along k, and of what comes out; swapped and not.
template <class P, int kTemporaries = 0>
void RunKMajor() {
  constexpr int kUnroll = kTemporaries == 0 ? 1 : 2 * kTemporaries;
  RunSizes<P, Knobs{.rows = 128,
                    .consumers = 2,
                    .deferred = kTemporaries == 0,
                    .temporaries = kTemporaries,
                    .unroll = kUnroll}>();
  RunSizes<P, Knobs{.rows = 128,
                    .cols = 48,
                    .consumers = 2,
                    .swap = true,
                    .tma_store = false,
                    .store_bytes = static_cast<int>(sizeof(typename P::D)),
                    .temporaries = kTemporaries,
                    .unroll = kUnroll}>();
  constexpr int64 kBlock = 128 / static_cast<int64>(sizeof(typename P::A));
  RunCase<P, Knobs{.split_k = 3,
                   .tma_store = false,
                   .store_bytes = 4,
                   .temporaries = kTemporaries,
                   .unroll = kUnroll}>({70, 68, 4 * kBlock + 5});
  RunCase<P, Knobs{.split_k = 2,
                   .tma_store = false,
                   .store_bytes = static_cast<int>(sizeof(typename P::D)),
                   .reduce = Reduce::kCluster,
                   .temporaries = kTemporaries,
                   .unroll = kUnroll}>({67, 71, 6 * kBlock + 1});
}

TEST(WgmmaTmaKernel, Tf32) {
  RunKMajor<ProblemOf<tf32, float, Traits{}>>();
}

TEST(WgmmaTmaKernel, S8) {
  RunKMajor<ProblemOf<s8, int, Traits{}>>();
  RunKMajor<ProblemOf<s8, bf16, Traits{}>>();
}

TEST(WgmmaTmaKernel, Fp8Fast) {
  RunKMajor<ProblemOf<e4m3, bf16, Traits{}>>();
  RunKMajor<ProblemOf<e5m2, float, Traits{}, e4m3>>();
}

TEST(WgmmaTmaKernel, Fp8Promoted) {
  RunKMajor<ProblemOf<e4m3, bf16, Traits{}, e5m2>, 1>();
  RunKMajor<ProblemOf<e4m3, f16, Traits{.bias = Bias::kCol}>, 2>();
  RunSizes<ProblemOf<e4m3, bf16, Traits{}>,
           Knobs{.rows = 192, .cols = 40, .consumers = 3, .temporaries = 1, .unroll = 4}>();
  RunCase<ProblemOf<e4m3, bf16, Traits{}>, Knobs{.stages = 5, .temporaries = 2, .unroll = 8}>(
      {64, 64, 128 * 19}, 1);
}

// A scale for all, and one for each row and column: from slabs and from fragments, swapped and not.
template <Scale kScale>
void RunScales() {
  using Scaled = ProblemOf<e4m3, bf16, Traits{.alpha = Scalar::kOther, .scale = kScale}>;
  RunSizes<Scaled, Knobs{.rows = 128, .consumers = 2, .temporaries = 1}>();
  RunSizes<ProblemOf<s8, float, Traits{.d_row = false, .bias = Bias::kRow, .scale = kScale}>,
           Knobs{.cols = 48, .swap = true, .tma_store = false, .store_bytes = 4}>();
  RunCase<Scaled, Knobs{.split_k = 2,
                        .swap = true,
                        .tma_store = false,
                        .store_bytes = 2,
                        .reduce = Reduce::kCluster}>({67, 71, 500});
  RunCase<ProblemOf<bf16, bf16, Traits{.scale = kScale}>,
          Knobs{.split_k = 3, .tma_store = false, .store_bytes = 4}>({70, 68, 320});
}

TEST(WgmmaTmaKernel, Scales) {
  RunScales<Scale::kTensor>();
  RunScales<Scale::kRowCol>();
}

// 8-bit outputs leave row by row.
TEST(WgmmaTmaKernel, EightBitOutputs) {
  RunSizes<ProblemOf<e4m3, e4m3, Traits{}>, Knobs{.temporaries = 1}>();
  RunSizes<ProblemOf<e5m2, e5m2, Traits{}>,
           Knobs{.rows = 128, .cols = 144, .consumers = 2, .tma_store = false, .store_bytes = 1}>();
  RunSizes<ProblemOf<s8, s8, Traits{}>, Knobs{.cols = 176, .tma_store = false, .store_bytes = 2}>();
  RunSizes<ProblemOf<s8, s8, Traits{.d_row = false}>, Knobs{.cols = 160, .swap = true}>();
  RunCase<ProblemOf<e4m3, e4m3, Traits{.d_row = false}>,
          Knobs{.split_k = 2, .tma_store = false, .store_bytes = 1, .reduce = Reduce::kCluster}>(
      {67, 71, 300});
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
  constexpr Size kSize{70, kCols + 3, 70};
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
  RunSizes<P, Knobs{.tma_store = false}>();
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
  RunStream<ProblemOf<bf16, bf16, kFullRow>,
            Knobs{.tma_store = false, .reduce = Reduce::kStream}>();
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

}  // namespace
}  // namespace tw::wgmma_tma
