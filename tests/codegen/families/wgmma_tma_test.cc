// Family wgmma_tma: the plan's figures and rules, tensor maps, the space, the launch.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/families/wgmma_tma.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/families/common.h"
#include "tw/schedule/stream_runs.cuh"

namespace tw {
namespace {

struct Knobs {
  int tile_m = 128, tile_n = 128, swap = 0, consumers = 2, pingpong = 1, stages = 6;
  int cluster_m = 1, cluster_n = 1, group_m = 8, split_k = 1, reduce = 0;
  int deferred = 1, tma_store = 1, blocks = 1, temporaries = 0, unroll = 1;
};

// The same cut of D, summed by its blocks.
constexpr Knobs kSlices{.tile_m = 64,
                        .tile_n = 128,
                        .consumers = 1,
                        .pingpong = 0,
                        .split_k = 16,
                        .reduce = 1,
                        .tma_store = 0};

KernelConfig Config(const Knobs& k) {
  KernelConfig config;
  config.family = "wgmma_tma";
  config.knobs = {
      {"tile_m", k.tile_m},       {"tile_n", k.tile_n},       {"swap", k.swap},
      {"consumers", k.consumers}, {"pingpong", k.pingpong},   {"stages", k.stages},
      {"cluster_m", k.cluster_m}, {"cluster_n", k.cluster_n}, {"group_m", k.group_m},
      {"split_k", k.split_k},     {"reduce", k.reduce},       {"deferred", k.deferred},
      {"tma_store", k.tma_store}, {"blocks", k.blocks},       {"temporaries", k.temporaries},
      {"unroll", k.unroll}};
  return config;
}

struct ProblemSpec {
  std::int64_t m = 4096, n = 4096, k = 4096, batch = 1;
  DType type = DType::kBf16;
  std::string_view layout = "nt";
  std::int64_t ldd = kPacked;
};

GemmProblem Raw(const ProblemSpec& spec) {
  GemmProblem problem;
  problem.m = spec.m;
  problem.n = spec.n;
  problem.k = spec.k;
  problem.batch = spec.batch;
  problem.a.type = problem.b.type = problem.d.type = spec.type;
  problem.a.major = spec.layout[0] == 'n' ? Major::kRow : Major::kCol;
  problem.b.major = spec.layout[1] == 'n' ? Major::kRow : Major::kCol;
  problem.acc = spec.type == DType::kS8 ? DType::kS32 : DType::kF32;
  problem.d.ld = spec.ldd;
  problem.c = problem.d;
  return problem;
}

GemmProblem Problem(const ProblemSpec& spec) {
  return Normalize(Raw(spec)).value();
}

DeviceSpec Device() {
  return ReferenceDevice("sm_90a").value();
}

PlanResult PlanOf(const ProblemSpec& spec, const Knobs& knobs) {
  return kWgmmaTmaFamily.plan(Problem(spec), Device(), Config(knobs));
}

std::string RuleOf(const ProblemSpec& spec, const Knobs& knobs) {
  PlanResult result = PlanOf(spec, knobs);
  return result.resources ? "legal" : result.rejection.rule;
}

LaunchPlan LaunchOf(const ProblemSpec& spec, const Knobs& knobs) {
  return kWgmmaTmaFamily.launch(Problem(spec), Device(), Config(knobs));
}

TEST(WgmmaTmaPlan, FiguresOfATurnTakingTile) {
  PlanResult result = PlanOf({}, {});
  ASSERT_TRUE(result.resources.has_value()) << result.rejection.rule;
  const Resources& r = *result.resources;
  EXPECT_EQ(r.threads, 384);
  // Alignment; six stages of 128 rows and columns; two slabs a consumer; two barriers a stage.
  EXPECT_EQ(r.smem_bytes, 1024 + 6 * 2 * 128 * 128 + 2 * 2 * 8192 + 6 * 16);
  EXPECT_EQ(r.tiles, 32 * 32);
  EXPECT_EQ(r.tile_k, 64);
  EXPECT_EQ(r.workspace_bytes, 0);
}

// The figures that CUTLASS and DeepGEMM use too.
TEST(WgmmaTmaPlan, RegistersAreSharedOutUnevenly) {
  const auto plan = [](const Knobs& knobs) { return MakeWgmmaTmaPlan(Problem({}), Config(knobs)); };
  const wgmma_tma::Plan two = plan({});
  EXPECT_EQ(wgmma_tma::LaunchRegisters(two), 168);
  EXPECT_EQ(wgmma_tma::ProducerRegisters(two), 40);
  EXPECT_EQ(wgmma_tma::ConsumerRegisters(two), 232);
  const wgmma_tma::Plan tall = plan({.tile_m = 192});
  EXPECT_EQ(wgmma_tma::ProducerRegisters(tall), 24);
  EXPECT_EQ(wgmma_tma::ConsumerRegisters(tall), 240);
  const wgmma_tma::Plan three = plan({.tile_m = 192, .consumers = 3, .pingpong = 0});
  EXPECT_EQ(wgmma_tma::LaunchRegisters(three), 128);
  EXPECT_EQ(wgmma_tma::ConsumerRegisters(three), 160);
  // One consumer alone has all that a thread can have.
  EXPECT_FALSE(wgmma_tma::MovesRegisters(plan({.tile_m = 64, .consumers = 1, .pingpong = 0})));
}

TEST(WgmmaTmaPlan, RegistersOfTheBlockFitTheFile) {
  for (const int consumers : {1, 2, 3}) {
    for (const int blocks : {1, 2, 3}) {
      wgmma_tma::Plan plan{};
      plan.consumers = consumers;
      plan.blocks_per_sm = blocks;
      plan.tile_rows = 64 * consumers;
      plan.tile_cols = 64;
      if (!wgmma_tma::MovesRegisters(plan))
        continue;
      const int file = 128 * (wgmma_tma::ProducerRegisters(plan) +
                              consumers * wgmma_tma::ConsumerRegisters(plan));
      EXPECT_LE(file, wgmma_tma::LaunchRegisters(plan) * 128 * (1 + consumers));
    }
  }
}

TEST(WgmmaTmaPlan, EveryRuleHasItsName) {
  EXPECT_EQ(RuleOf({}, {}), "legal");
  EXPECT_EQ(RuleOf({}, {.tile_n = 100}), "knobs");
  EXPECT_EQ(RuleOf({}, {.tile_m = 96}), "tile");
  EXPECT_EQ(RuleOf({}, {.tile_n = 96}), "legal");
  EXPECT_EQ(RuleOf({.layout = "nn"}, {.tile_n = 96}), "tile");  // lines of 64 columns
  EXPECT_EQ(RuleOf({}, {.tile_m = 192, .consumers = 3}), "consumers");
  EXPECT_EQ(RuleOf({}, {.stages = 7}), "smem");
  EXPECT_EQ(RuleOf({}, {.tile_m = 128, .tile_n = 256, .stages = 3}), "registers");
  EXPECT_EQ(RuleOf({}, {.tile_n = 104, .stages = 4, .cluster_m = 2}), "cluster");
  EXPECT_EQ(RuleOf({.m = 128}, {.cluster_m = 2}), "cluster");
  EXPECT_EQ(RuleOf({}, {.stages = 4, .blocks = 2}), "registers");
  EXPECT_EQ(RuleOf({}, {.tile_m = 64, .consumers = 1, .pingpong = 0, .blocks = 2}), "blocks");
  EXPECT_EQ(RuleOf({.m = 64}, {}), "tile_exceeds_problem");
  EXPECT_EQ(RuleOf({.m = 65}, {}), "legal");
  EXPECT_EQ(RuleOf({.n = 120}, {}), "tile_exceeds_problem");
  EXPECT_EQ(RuleOf({.n = 4100}, {}), "tma_store");
  EXPECT_EQ(RuleOf({.n = 4100}, {.tma_store = 0}), "legal");
  // Aligned rows whose last unit of 16 bytes would reach past D.
  EXPECT_EQ(RuleOf({.n = 4100, .ldd = 4104}, {}), "tma_store");
  EXPECT_EQ(RuleOf({.n = 4104}, {}), "legal");
  // More blocks than the portable limit of a cluster.
  EXPECT_EQ(RuleOf({}, {.stages = 4, .cluster_m = 4, .cluster_n = 2}), "legal");
  EXPECT_EQ(RuleOf({}, {.stages = 4, .cluster_m = 4, .cluster_n = 4}), "cluster");
  EXPECT_EQ(RuleOf({}, {.split_k = 2}), "reduce");
  EXPECT_EQ(RuleOf({.k = 64}, {.split_k = 2, .tma_store = 0}), "split_k");
  EXPECT_EQ(RuleOf({.m = 32768, .n = 32768}, {.split_k = 2, .tma_store = 0}), "split_k");
  EXPECT_EQ(RuleOf({.m = std::int64_t{1} << 30, .n = 1024}, {.tile_m = 64, .tile_n = 8}), "grid");
}

// 8-bit floats, s8 and tf32: along k only; sums of 8-bit floats are promoted unless asked not to.
TEST(WgmmaTmaPlan, OtherTypesHaveRulesOfTheirOwn) {
  const ProblemSpec fp8{.type = DType::kE4m3};
  const Knobs promoted{.pingpong = 0, .temporaries = 2, .unroll = 4};
  EXPECT_EQ(RuleOf(fp8, promoted), "legal");
  EXPECT_EQ(RuleOf(fp8, {}), "temporaries");
  EXPECT_EQ(RuleOf({.k = 128, .type = DType::kE4m3}, {}), "legal");  // one k block
  EXPECT_EQ(RuleOf({}, promoted), "temporaries");                    // bf16
  EXPECT_EQ(RuleOf(fp8, {.temporaries = 1}), "temporaries");         // in turns
  EXPECT_EQ(RuleOf(fp8, {.tile_m = 256, .pingpong = 0, .temporaries = 1}),
            "temporaries");  // strips
  EXPECT_EQ(RuleOf(fp8, {.pingpong = 0, .temporaries = 2, .unroll = 1}), "temporaries");
  EXPECT_EQ(RuleOf(fp8, {.tile_n = 120, .pingpong = 0, .temporaries = 2, .unroll = 4}), "tile");
  EXPECT_EQ(RuleOf(fp8, {.swap = 1, .pingpong = 0, .temporaries = 2, .unroll = 4}), "output");
  EXPECT_EQ(RuleOf(fp8, {.tile_n = 144, .pingpong = 0, .stages = 4, .temporaries = 2, .unroll = 4}),
            "registers");
  EXPECT_EQ(RuleOf(fp8, {.tile_m = 192,
                         .consumers = 3,
                         .pingpong = 0,
                         .stages = 4,
                         .temporaries = 1,
                         .unroll = 4}),
            "legal");
  EXPECT_EQ(RuleOf({.type = DType::kS8}, {.tile_n = 112}), "legal");
  EXPECT_EQ(RuleOf({.type = DType::kS8}, {.tile_n = 120}), "tile");
  EXPECT_EQ(RuleOf({.n = 24, .type = DType::kS8}, {.tile_n = 24, .tma_store = 0}), "tile");
}

TEST(WgmmaTmaPlan, OnlyTypesOf16BitsLieAnyWay) {
  for (const DType type : {DType::kE4m3, DType::kS8}) {
    for (const std::string_view layout : {"nt", "nn", "tn", "tt"}) {
      const auto why = kWgmmaTmaFamily.unsupported(Problem({.type = type, .layout = layout}),
                                                   ReferenceDevice("sm_90a").value());
      EXPECT_EQ(why.has_value(), layout != "nt") << layout;
    }
  }
}

TEST(WgmmaTmaPlan, BlocksThatSumSlicesMustAllBeThere) {
  const ProblemSpec longk{.m = 256, .n = 256, .k = 65536};
  EXPECT_EQ(RuleOf(longk, kSlices), "legal");  // 8 tiles x 16 slices on 132
  EXPECT_EQ(RuleOf({.m = 512, .n = 256, .k = 65536}, kSlices), "resident");
  Knobs turns = kSlices;
  turns.tile_m = 128;
  turns.consumers = 2;
  turns.pingpong = 1;
  EXPECT_EQ(RuleOf(longk, turns), "reduce");
  // A cluster has at most 8 blocks, and the ring holds the sums.
  Knobs cluster = kSlices;
  cluster.reduce = 2;
  EXPECT_EQ(RuleOf(longk, cluster), "reduce");
  cluster.split_k = 8;
  EXPECT_EQ(RuleOf(longk, cluster), "legal");
  cluster.stages = 2;
  cluster.tile_n = 256;
  EXPECT_EQ(RuleOf(longk, cluster), "legal");
  Knobs whole = {.reduce = 1, .tma_store = 0};
  EXPECT_EQ(RuleOf({}, whole), "reduce");
}

TEST(WgmmaTmaPlan, RunsOfKBlocksAreForTilesThatDoNotComeOutEven) {
  const Knobs stream{.pingpong = 0, .reduce = 3};
  EXPECT_EQ(RuleOf({.m = 1792, .n = 1792, .k = 1792}, stream), "legal");   // 196 tiles on 132
  EXPECT_EQ(RuleOf({.m = 1536, .n = 1408, .k = 1792}, stream), "stream");  // 132 tiles
  EXPECT_EQ(RuleOf({.m = 512, .n = 512, .k = 1024}, stream), "stream");    // 2 k blocks each
  EXPECT_EQ(RuleOf({}, {.reduce = 3}), "reduce");                          // in turns
  EXPECT_EQ(RuleOf({}, {.pingpong = 0, .split_k = 2, .reduce = 3, .tma_store = 0}), "reduce");
  const LaunchPlan plan = LaunchOf({.m = 1792, .n = 1792, .k = 1792}, stream);
  EXPECT_EQ(plan.launches[0].grid[0], 132U);
  EXPECT_TRUE(plan.launches[0].cooperative);
  EXPECT_EQ(plan.workspace_zero_bytes, 132 * 128);
  EXPECT_EQ(plan.workspace_bytes, 132 * (128 + 128 * 128 * 4));
}

// Every k block of every cut tile is in one piece; who has a tile's first block knows the others.
TEST(WgmmaTmaStream, RunsCoverTheTilesOnce) {
  for (const StreamRuns& runs :
       {StreamRuns{28, 196, 132}, StreamRuns{64, 5, 132}, StreamRuns{1, 140, 132},
        StreamRuns{7, 131, 66}, StreamRuns{100, 1, 25}}) {
    std::vector<int> covered(static_cast<std::size_t>(runs.tiles * runs.k_blocks));
    for (tw::int64 run = 0; run < runs.runs; ++run) {
      EXPECT_LT(runs.Begin(run), runs.Begin(run + 1));
      tw::int64 pieces = 0;
      for (tw::int64 at = runs.Begin(run); at < runs.Begin(run + 1); ++at) {
        ++covered[static_cast<std::size_t>(at)];
        pieces += at == runs.Begin(run) || at % runs.k_blocks == 0 ? 1 : 0;
        const tw::int64 last = runs.LastRunOfTile(at);
        const tw::int64 end = (at / runs.k_blocks + 1) * runs.k_blocks;
        EXPECT_LT(runs.Begin(last), end);
        EXPECT_GE(runs.Begin(last + 1), end);
      }
      EXPECT_EQ(runs.Pieces(run), pieces);
    }
    EXPECT_EQ(std::count(covered.begin(), covered.end(), 1), std::ssize(covered));
  }
}

TEST(WgmmaTmaFamily, CarriesWhatTmaCanReach) {
  const auto unsupported = [](const GemmProblem& problem) {
    return kWgmmaTmaFamily.unsupported(problem, Device()).value_or("");
  };
  EXPECT_EQ(unsupported(Problem({})), "");
  EXPECT_NE(unsupported(Problem({.k = 4100})), "");  // rows of 8200 bytes
  EXPECT_EQ(unsupported(Problem({.k = 4104})), "");
  EXPECT_EQ(unsupported(Problem({.k = 4100, .layout = "tn"})), "");
  EXPECT_NE(unsupported(Problem({.m = 4100, .layout = "tt"})), "");
  EXPECT_NE(unsupported(Problem({.k = 0})), "");
  GemmProblem problem = Problem({});
  problem.alpha = ScalarKind::kZero;
  EXPECT_NE(unsupported(problem), "");
  problem = Problem({});
  problem.a.align_bytes = 8;
  EXPECT_NE(unsupported(problem), "");
  problem = Problem({});
  problem.d.type = DType::kF32;
  EXPECT_EQ(unsupported(problem), "");
  problem.a.type = problem.b.type = DType::kF32;
  EXPECT_NE(unsupported(problem), "");
}

TEST(WgmmaTmaMaps, KMajorOperandsAndRowMajorD) {
  const KernelLaunch launch =
      LaunchOf({.m = 1000, .n = 2000, .k = 512}, {.tile_n = 112}).launches[0];
  ASSERT_EQ(launch.tensor_maps.size(), 4U);
  const TensorMapRecipe& a = launch.tensor_maps[0];
  EXPECT_EQ(a.operand, MapOperand::kA);
  EXPECT_EQ(a.type, DType::kBf16);
  EXPECT_EQ(a.rank, 2);
  EXPECT_EQ(a.dims[0], 512);
  EXPECT_EQ(a.dims[1], 1000);
  EXPECT_EQ(a.strides[0], 1024);
  EXPECT_EQ(a.box[0], 64);
  EXPECT_EQ(a.box[1], 128);
  EXPECT_EQ(a.swizzle_bytes, 128);
  const TensorMapRecipe& b = launch.tensor_maps[1];
  EXPECT_EQ(b.operand, MapOperand::kB);
  EXPECT_EQ(b.dims[1], 2000);
  EXPECT_EQ(b.box[1], 112);
  // D in pieces of 64 columns, then of 48, which are not swizzled.
  const TensorMapRecipe& d = launch.tensor_maps[2];
  EXPECT_EQ(d.operand, MapOperand::kD);
  EXPECT_EQ(d.dims[0], 2000);
  EXPECT_EQ(d.strides[0], 4000);
  EXPECT_EQ(d.box[0], 64);
  EXPECT_EQ(d.box[1], 64);
  EXPECT_EQ(d.swizzle_bytes, 128);
  EXPECT_EQ(launch.tensor_maps[3].box[0], 48);
  EXPECT_EQ(launch.tensor_maps[3].swizzle_bytes, 0);
}

TEST(WgmmaTmaMaps, BlocksOfAClusterLoadShares) {
  const KernelLaunch launch =
      LaunchOf({}, {.stages = 4, .cluster_m = 2, .cluster_n = 1}).launches[0];
  EXPECT_EQ(launch.tensor_maps[0].box[1], 128);  // rows of A belong to one block
  EXPECT_EQ(launch.tensor_maps[1].box[1], 64);   // both need the same columns
  EXPECT_EQ(launch.cluster[0], 2U);
}

TEST(WgmmaTmaMaps, SwappedRolesAndMnMajor) {
  const KernelLaunch launch =
      LaunchOf({.m = 16, .n = 4096, .layout = "tn"},
               {.tile_m = 64, .swap = 1, .consumers = 2, .pingpong = 0, .stages = 4})
          .launches[0];
  const TensorMapRecipe& rows = launch.tensor_maps[0];
  EXPECT_EQ(rows.operand, MapOperand::kB);
  EXPECT_EQ(rows.dims[0], 4096);  // n is contiguous
  EXPECT_EQ(rows.dims[1], 4096);
  EXPECT_EQ(rows.box[0], 64);
  EXPECT_EQ(rows.box[1], 64);
  EXPECT_EQ(launch.tensor_maps[1].operand, MapOperand::kA);
  EXPECT_EQ(launch.tensor_maps[1].dims[0], 16);
  // Lines of D are the wgmma's rows: 64 of them by up to 64 columns.
  EXPECT_EQ(launch.tensor_maps[2].dims[0], 4096);
  EXPECT_EQ(launch.tensor_maps[2].box[0], 64);
  EXPECT_EQ(launch.tensor_maps[2].box[1], 64);
}

TEST(WgmmaTmaMaps, ABatchIsADimensionAndABroadcastIsNone) {
  GemmProblem problem = Raw({.m = 1024, .n = 1024, .k = 128, .batch = 8});
  problem.b.batch_stride = 0;
  problem = Normalize(problem).value();
  if (problem.b.batch_stride != 0)
    GTEST_SKIP() << "a stride of 0 means packed here";
  const LaunchPlan plan = kWgmmaTmaFamily.launch(problem, Device(), Config({}));
  EXPECT_EQ(plan.launches[0].tensor_maps[0].rank, 3);
  EXPECT_EQ(plan.launches[0].tensor_maps[0].dims[2], 8);
  EXPECT_EQ(plan.launches[0].tensor_maps[0].strides[1], 1024 * 128 * 2);
  EXPECT_EQ(plan.launches[0].tensor_maps[1].rank, 2);
}

TEST(WgmmaTmaFamily, PersistentBlocksFillTheDevice) {
  LaunchPlan plan = LaunchOf({}, {});
  ASSERT_EQ(plan.launches.size(), 1U);
  EXPECT_EQ(plan.launches[0].grid[0], 132U);
  EXPECT_EQ(plan.launches[0].block[0], 384U);
  EXPECT_FALSE(plan.launches[0].cooperative);
  EXPECT_EQ(LaunchOf({.m = 512, .n = 512}, {}).launches[0].grid[0], 16U);
  // Whole clusters, beyond the tiles where they do not come out even.
  const Knobs pairs{.stages = 4, .cluster_m = 2};
  EXPECT_EQ(LaunchOf({.m = 384, .n = 512}, pairs).launches[0].grid[0], 16U);
  EXPECT_TRUE(LaunchOf({.m = 0}, {}).launches.empty());
}

TEST(WgmmaTmaFamily, SlicesAreSummedByASecondKernelTheGridOrTheCluster) {
  const ProblemSpec longk{.m = 256, .n = 256, .k = 65536};
  Knobs knobs = kSlices;
  LaunchPlan grid = LaunchOf(longk, knobs);
  ASSERT_EQ(grid.launches.size(), 1U);
  EXPECT_TRUE(grid.launches[0].cooperative);
  EXPECT_EQ(grid.launches[0].grid[0], 128U);
  EXPECT_EQ(grid.workspace_zero_bytes, 8 * 128);
  EXPECT_EQ(grid.workspace_bytes, 8 * 128 + 128 * 64 * 128 * 4);
  knobs.reduce = 0;
  LaunchPlan second = LaunchOf(longk, knobs);
  ASSERT_EQ(second.launches.size(), 2U);
  EXPECT_EQ(second.workspace_bytes, 16 * 256 * 256 * 4);
  EXPECT_EQ(second.workspace_zero_bytes, 0);
  knobs.reduce = 2;
  knobs.split_k = 8;
  LaunchPlan cluster = LaunchOf(longk, knobs);
  ASSERT_EQ(cluster.launches.size(), 1U);
  EXPECT_EQ(cluster.launches[0].cluster[0], 8U);
  EXPECT_EQ(cluster.workspace_bytes, 0);
  EXPECT_FALSE(cluster.launches[0].cooperative);
}

TEST(WgmmaTmaFamily, EntryNamesTheConfiguration) {
  const EntryParts parts = kWgmmaTmaFamily.emit(Problem({}), Device(), Config({}));
  EXPECT_EQ(parts.entry, "tw_wgmma_tma_bf16_nt_128x128_c2_pp_s6_cl1x1_g8_k1r0_d_t_b1");
  EXPECT_NE(parts.kernels.find(parts.entry + "("), std::string::npos);
  EXPECT_NE(parts.candidate_struct.find(".tile_cols = 128,"), std::string::npos);
}

struct SpaceCount {
  int visited = 0, legal = 0;
};

SpaceCount CountSpace(const GemmProblem& problem) {
  SpaceCount count;
  std::set<std::string> seen;
  kWgmmaTmaFamily.enumerate(problem, Device(), [&](const KernelConfig& config) {
    ++count.visited;
    EXPECT_TRUE(InDomain(kWgmmaTmaFamily.knobs, config)) << Text(config);
    EXPECT_TRUE(seen.insert(Text(config)).second) << Text(config);
    count.legal += kWgmmaTmaFamily.plan(problem, Device(), config).resources ? 1 : 0;
    return true;
  });
  return count;
}

TEST(WgmmaTmaSpace, IsBoundedAndNeverEmpty) {
  const std::vector<ProblemSpec> shapes = {
      {.m = 8, .n = 8, .k = 8},          {.m = 8, .n = 4096, .k = 4096},
      {.m = 16, .n = 14336, .k = 4096},  {.m = 128, .n = 4096, .k = 14336},
      {.m = 256, .n = 256, .k = 65536},  {.m = 1000, .n = 1000, .k = 1000},
      {.m = 4096, .n = 16, .k = 4096},   {.m = 64, .n = 64, .k = 64, .batch = 512},
      {.m = 4096, .n = 4096, .k = 4096}, {.m = 16384, .n = 16384, .k = 16384},
      {.m = 200, .n = 4096, .k = 4096},  {.m = 2304, .n = 2304, .k = 2304}};
  for (ProblemSpec spec : shapes) {
    for (std::string_view layout : {"nt", "nn", "tn", "tt"}) {
      spec.layout = layout;
      const SpaceCount count = CountSpace(Problem(spec));
      EXPECT_LE(count.legal, 450) << CanonicalText(Problem(spec));
      EXPECT_GE(count.legal, 1) << CanonicalText(Problem(spec));
    }
  }
}

// 8-bit outputs leave row by row only, and in units of 16.
TEST(WgmmaTmaSpace, HasSomethingForEveryShapeOf8BitOutputs) {
  for (const ProblemSpec& spec : std::vector<ProblemSpec>{{.m = 16, .n = 28672, .k = 4096},
                                                          {.m = 16, .n = 4096, .k = 512},
                                                          {.m = 4096, .n = 24, .k = 512},
                                                          {.m = 4096, .n = 8, .k = 4096},
                                                          {.m = 4096, .n = 4096, .k = 4096}}) {
    for (const DType type : {DType::kE4m3, DType::kS8}) {
      for (const Major major : {Major::kRow, Major::kCol}) {
        GemmProblem problem = Raw(spec);
        problem.a.type = problem.b.type = problem.c.type = problem.d.type = type;
        problem.acc = type == DType::kS8 ? DType::kS32 : DType::kF32;
        problem.c.major = problem.d.major = major;
        problem = Normalize(problem).value();
        EXPECT_GE(CountSpace(problem).legal, 1) << CanonicalText(problem);
      }
    }
  }
}

TEST(WgmmaTmaSpace, StopsWhenToldTo) {
  int visited = 0;
  kWgmmaTmaFamily.enumerate(Problem({}), Device(),
                            [&](const KernelConfig&) { return ++visited < 5; });
  EXPECT_EQ(visited, 5);
}

bool Contains(const ProblemSpec& spec, const std::function<bool(const KernelConfig&)>& wanted) {
  bool found = false;
  const GemmProblem problem = Problem(spec);
  kWgmmaTmaFamily.enumerate(problem, Device(), [&](const KernelConfig& config) {
    found = wanted(config) && kWgmmaTmaFamily.plan(problem, Device(), config).resources.has_value();
    return !found;
  });
  return found;
}

TEST(WgmmaTmaSpace, HasWhatEachKindOfProblemNeeds) {
  EXPECT_TRUE(Contains({}, [](const KernelConfig& c) {
    return c.Get("tile_m") == 128 && c.Get("tile_n") == 112 && c.Get("pingpong") == 1;
  }));
  EXPECT_TRUE(Contains({}, [](const KernelConfig& c) {
    return c.Get("tile_m") == 128 && c.Get("tile_n") == 256 && c.Get("cluster_m") == 2;
  }));
  // Few rows: weights take the 64 rows of wgmma.
  EXPECT_TRUE(Contains({.m = 16, .n = 6144}, [](const KernelConfig& c) {
    return c.Get("tile_m") == 16 && c.Get("swap") == 1 && c.Get("blocks") == 2;
  }));
  EXPECT_TRUE(Contains(
      {.m = 32}, [](const KernelConfig& c) { return c.Get("swap") == 1 && c.Get("reduce") == 2; }));
  EXPECT_TRUE(Contains({.m = 256, .n = 256, .k = 65536}, [](const KernelConfig& c) {
    return c.Get("reduce") == 1 && c.Get("split_k") == 16;
  }));
}

}  // namespace
}  // namespace tw
