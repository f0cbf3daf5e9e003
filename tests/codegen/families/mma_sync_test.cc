// Family mma_sync: the plan's figures and rules, the space, the launch.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/families/mma_sync.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/families/common.h"

namespace tw {
namespace {

struct Knobs {
  int tile_m = 128, tile_n = 256, tile_k = 64;
  int warp_m = 64, warp_n = 64;
  int stages = 3, group_m = 8, split_k = 1;
};

KernelConfig Config(const Knobs& k) {
  KernelConfig config;
  config.family = "mma_sync";
  config.knobs = {{"tile_m", k.tile_m},   {"tile_n", k.tile_n},  {"tile_k", k.tile_k},
                  {"warp_m", k.warp_m},   {"warp_n", k.warp_n},  {"stages", k.stages},
                  {"group_m", k.group_m}, {"split_k", k.split_k}};
  return config;
}

struct ProblemSpec {
  std::int64_t m = 4096, n = 4096, k = 4096, batch = 1;
  DType type = DType::kBf16;
  std::string_view layout = "nt";
};

GemmProblem Problem(const ProblemSpec& spec) {
  GemmProblem problem;
  problem.m = spec.m;
  problem.n = spec.n;
  problem.k = spec.k;
  problem.batch = spec.batch;
  problem.a.type = problem.b.type = spec.type;
  problem.a.major = spec.layout[0] == 'n' ? Major::kRow : Major::kCol;
  problem.b.major = spec.layout[1] == 'n' ? Major::kRow : Major::kCol;
  problem.acc = spec.type == DType::kS8 ? DType::kS32 : DType::kF32;
  bool half = spec.type == DType::kBf16 || spec.type == DType::kF16;
  problem.d.type = half ? spec.type : problem.acc;
  problem.c = problem.d;
  return Normalize(problem).value();
}

DeviceSpec Device(std::string_view arch) {
  return ReferenceDevice(arch).value();
}

PlanResult PlanOf(const ProblemSpec& spec, const Knobs& knobs, std::string_view arch = "sm_90a") {
  return kMmaSyncFamily.plan(Problem(spec), Device(arch), Config(knobs));
}

mma_sync::Plan HeaderPlan(const ProblemSpec& spec, const Knobs& knobs) {
  return MakeMmaSyncPlan(Problem(spec), Device("sm_90a"), Config(knobs));
}

std::string RuleOf(const ProblemSpec& spec, const Knobs& knobs, std::string_view arch = "sm_90a") {
  PlanResult result = PlanOf(spec, knobs, arch);
  return result.resources ? "legal" : result.rejection.rule;
}

TEST(MmaSyncPlan, FiguresOfALargeTile) {
  PlanResult result = PlanOf({}, {});
  ASSERT_TRUE(result.resources.has_value()) << result.rejection.rule;
  const Resources& r = *result.resources;
  EXPECT_EQ(r.threads, 256);                          // 2 x 4 warps
  EXPECT_EQ(r.smem_bytes, 3 * (128 + 256) * 64 * 2);  // three stages of A and B
  EXPECT_EQ(r.tiles, 32 * 16);
  EXPECT_EQ(r.blocks, r.tiles);
  EXPECT_EQ(r.workspace_bytes, 0);
  EXPECT_EQ(r.regs_estimate, 128 + 64 + 40);  // accumulators, fragments, the rest
}

// The ring of a small tile is smaller than what the epilogue needs.
TEST(MmaSyncPlan, EpilogueMayDecideSharedMemory) {
  Knobs knobs{.tile_m = 64, .tile_n = 64, .tile_k = 32, .warp_m = 16, .warp_n = 16, .stages = 2};
  mma_sync::Plan plan = HeaderPlan({}, knobs);
  EXPECT_EQ(plan.stages * mma_sync::StageBytes(plan), 16384);
  EXPECT_EQ(mma_sync::SmemBytes(plan), 16 * 16 * 24 * 4);  // warps, lines, padded line, bytes
}

TEST(MmaSyncPlan, SplitKAddsSlicesAndWorkspace) {
  PlanResult result =
      PlanOf({.m = 16, .k = 8192},
             {.tile_m = 16, .tile_n = 64, .warp_m = 16, .warp_n = 16, .stages = 4, .split_k = 8});
  ASSERT_TRUE(result.resources.has_value()) << result.rejection.rule;
  EXPECT_EQ(result.resources->tiles, 64);
  EXPECT_EQ(result.resources->blocks, 512);
  EXPECT_EQ(result.resources->workspace_bytes, std::int64_t{8} * 16 * 4096 * 4);
}

TEST(MmaSyncPlan, EveryRuleHasItsName) {
  EXPECT_EQ(RuleOf({}, {}), "legal");
  EXPECT_EQ(RuleOf({}, {.tile_n = 96}), "knobs");
  EXPECT_EQ(RuleOf({}, {.tile_k = 16}), "tile_k");
  EXPECT_EQ(RuleOf({}, {.tile_k = 256}), "tile_k");
  EXPECT_EQ(RuleOf({}, {.tile_m = 32}), "warp_tile");
  EXPECT_EQ(RuleOf({.type = DType::kS8, .layout = "tt"}, {.warp_m = 16, .warp_n = 64}),
            "warp_tile");
  EXPECT_EQ(RuleOf({}, {.tile_m = 128, .warp_m = 16, .warp_n = 16}), "threads");
  EXPECT_EQ(RuleOf({}, {.stages = 5}), "smem");
  EXPECT_EQ(RuleOf({}, {}, "sm_86"), "smem");
  EXPECT_EQ(RuleOf({}, {.tile_m = 256, .warp_m = 64, .warp_n = 64}), "registers");
  EXPECT_EQ(RuleOf({.k = 4095}, {.tile_k = 128, .stages = 2}), "alignment");
  EXPECT_EQ(RuleOf({.m = 64}, {}), "tile_exceeds_problem");
  EXPECT_EQ(RuleOf({.m = 65}, {}), "legal");
  EXPECT_EQ(RuleOf({.n = 128}, {}), "tile_exceeds_problem");
  EXPECT_EQ(RuleOf({.k = 256}, {.split_k = 6}), "split_k");
  EXPECT_EQ(RuleOf({.m = 32768, .n = 32768}, {.split_k = 2}), "split_k");
}

TEST(MmaSyncPlan, CopiesAreAsWideAsRowsAllow) {
  auto copies = [](std::int64_t k, DType type) {
    return HeaderPlan({.k = k, .type = type}, {}).copy_bytes_a;
  };
  EXPECT_EQ(copies(4096, DType::kBf16), 16);
  EXPECT_EQ(copies(4100, DType::kBf16), 8);
  EXPECT_EQ(copies(4098, DType::kBf16), 4);
  EXPECT_EQ(copies(4097, DType::kBf16), 2);
  EXPECT_EQ(copies(4097, DType::kTf32), 4);
  EXPECT_EQ(copies(4098, DType::kS8), 1);
  // Where M is contiguous, K does not matter.
  EXPECT_EQ(HeaderPlan({.k = 4097, .layout = "tn"}, {}).copy_bytes_a, 16);
  EXPECT_EQ(HeaderPlan({.n = 4097, .layout = "tn"}, {}).copy_bytes_b, 2);
}

TEST(MmaSyncPlan, StoresAreAsWideAsTheirRowsAllow) {
  EXPECT_EQ(HeaderPlan({}, {}).store_bytes, 16);
  EXPECT_EQ(HeaderPlan({.n = 4097}, {}).store_bytes, 2);
  // Partial sums have 4 bytes and rows of N.
  EXPECT_EQ(HeaderPlan({.n = 4098}, {.split_k = 2}).store_bytes, 8);
  EXPECT_EQ(HeaderPlan({.n = 4097}, {.split_k = 2}).store_bytes, 4);
}

TEST(MmaSyncPlan, ResidentBlocksFitRegistersAndSharedMemory) {
  auto blocks = [](const Knobs& knobs) { return HeaderPlan({}, knobs).min_blocks; };
  EXPECT_EQ(blocks({}), 1);
  // 128 threads of 240 registers twice; 96 KiB twice.
  EXPECT_EQ(blocks({.tile_n = 128}), 2);
  EXPECT_EQ(blocks({.tile_n = 128, .stages = 4}), 1);
  // 128 threads of 112 registers.
  EXPECT_EQ(blocks({.tile_m = 64, .tile_n = 64, .warp_m = 32, .warp_n = 32, .stages = 2}), 4);
}

TEST(MmaSyncFamily, CarriesTensorCoreTypesOnly) {
  GemmProblem problem = Problem({});
  EXPECT_EQ(kMmaSyncFamily.unsupported(problem, Device("sm_90a")), std::nullopt);
  problem.a.type = problem.b.type = DType::kF32;
  EXPECT_NE(kMmaSyncFamily.unsupported(problem, Device("sm_90a")), std::nullopt);
  problem = Problem({.type = DType::kS8});
  EXPECT_EQ(kMmaSyncFamily.unsupported(problem, Device("sm_90a")), std::nullopt);
  problem.d.type = DType::kF32;
  EXPECT_EQ(kMmaSyncFamily.unsupported(problem, Device("sm_90a")), std::nullopt);
  problem.acc = DType::kF32;
  EXPECT_NE(kMmaSyncFamily.unsupported(problem, Device("sm_90a")), std::nullopt);
}

TEST(MmaSyncFamily, Fp8NeedsItsInstruction) {
  GemmProblem problem = Problem({});
  problem.a.type = DType::kE4m3;
  problem.b.type = DType::kE5m2;
  EXPECT_NE(kMmaSyncFamily.unsupported(problem, Device("sm_86")), std::nullopt);
  for (const char* arch : {"sm_89", "sm_90a", "sm_120a"})
    EXPECT_EQ(kMmaSyncFamily.unsupported(problem, Device(arch)), std::nullopt) << arch;
}

// All lanes of a warp write: of a line of 16 elements no more than half at once.
TEST(MmaSyncPlan, StoresOfNarrowOutputsKeepTheWarpTogether) {
  GemmProblem problem = Problem({.type = DType::kS8});
  problem.c.type = problem.d.type = DType::kS8;
  const auto store = [&](const Knobs& knobs) {
    return MakeMmaSyncPlan(problem, Device("sm_90a"), Config(knobs)).store_bytes;
  };
  EXPECT_EQ(store({.warp_n = 32}), 16);
  EXPECT_EQ(store({.warp_n = 16}), 8);
  problem.d.align_bytes = 4;
  EXPECT_EQ(store({.warp_n = 32}), 4);
}

TEST(MmaSyncFamily, EntryNamesTheConfiguration) {
  GemmProblem problem = Problem({});
  EntryParts parts = kMmaSyncFamily.emit(problem, Device("sm_90a"), Config({}));
  EXPECT_EQ(parts.entry, "tw_mma_sync_bf16_nt_128x256x64_w64x64_s3_g8_k1");
  EXPECT_NE(parts.kernels.find(parts.entry + "("), std::string::npos);
  EXPECT_NE(parts.candidate_struct.find(".tile_n = 256,"), std::string::npos);
}

TEST(MmaSyncFamily, LaunchesOneBlockAWorkItem) {
  GemmProblem problem = Problem({.m = 1000, .n = 1000, .k = 8192, .batch = 3});
  KernelConfig config = Config({.split_k = 4});
  LaunchPlan plan = kMmaSyncFamily.launch(problem, Device("sm_90a"), config);
  ASSERT_EQ(plan.launches.size(), 2U);
  EXPECT_EQ(plan.launches[0].grid[0], 8U * 4 * 3 * 4);
  EXPECT_EQ(plan.launches[0].block[0], 256U);
  EXPECT_EQ(plan.launches[0].dynamic_smem_bytes, 147456U);
  EXPECT_EQ(plan.launches[1].entry, plan.launches[0].entry + "_reduce");
  EXPECT_EQ(plan.workspace_bytes, std::int64_t{4} * 3 * 1000 * 1000 * 4);
  EXPECT_EQ(kMmaSyncFamily.emit(problem, Device("sm_90a"), config).entry, plan.launches[0].entry);
}

TEST(MmaSyncFamily, NothingToLaunchForAnEmptyProblem) {
  LaunchPlan plan = kMmaSyncFamily.launch(Problem({.m = 0}), Device("sm_90a"), Config({}));
  EXPECT_TRUE(plan.launches.empty());
}

TEST(MmaSyncFamily, MoreItemsThanAGridAreWalked) {
  const ProblemSpec spec{.m = 16, .n = 16, .k = 16, .batch = std::int64_t{1} << 32U};
  const Knobs knobs{.tile_m = 16, .tile_n = 16, .tile_k = 32, .warp_m = 16, .warp_n = 16};
  EXPECT_TRUE(HeaderPlan(spec, knobs).huge);
  LaunchPlan plan = kMmaSyncFamily.launch(Problem(spec), Device("sm_90a"), Config(knobs));
  EXPECT_EQ(plan.launches[0].grid[0],
            static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()));
}

struct SpaceCount {
  int visited = 0, legal = 0;
};

SpaceCount CountSpace(const GemmProblem& problem, const DeviceSpec& device) {
  SpaceCount count;
  std::set<std::string> seen;
  kMmaSyncFamily.enumerate(problem, device, [&](const KernelConfig& config) {
    ++count.visited;
    EXPECT_TRUE(InDomain(kMmaSyncFamily.knobs, config)) << Text(config);
    EXPECT_TRUE(seen.insert(Text(config)).second) << Text(config);
    count.legal += kMmaSyncFamily.plan(problem, device, config).resources ? 1 : 0;
    return true;
  });
  return count;
}

TEST(MmaSyncSpace, IsBoundedAndNeverEmpty) {
  const std::vector<ProblemSpec> shapes = {{.m = 1, .n = 1, .k = 0},
                                           {.m = 1, .n = 1, .k = 1},
                                           {.m = 1, .n = 4096, .k = 4096},
                                           {.m = 17, .n = 3, .k = 1021},
                                           {.m = 16, .n = 14336, .k = 4096},
                                           {.m = 128, .n = 4096, .k = 14336},
                                           {.m = 256, .n = 256, .k = 65536},
                                           {.m = 1000, .n = 1000, .k = 1000},
                                           {.m = 1021, .n = 1021, .k = 1021},
                                           {.m = 4096, .n = 16, .k = 4096},
                                           {.m = 64, .n = 64, .k = 64, .batch = 512},
                                           {.m = 4096, .n = 4096, .k = 4096},
                                           {.m = 16384, .n = 16384, .k = 16384}};
  for (ProblemSpec spec : shapes) {
    for (DType type : {DType::kBf16, DType::kF16, DType::kTf32, DType::kS8}) {
      for (std::string_view layout : {"nt", "nn", "tn", "tt"}) {
        for (std::string_view arch : {"sm_80", "sm_86", "sm_90a", "sm_120"}) {
          spec.type = type;
          spec.layout = layout;
          SpaceCount count = CountSpace(Problem(spec), Device(arch));
          EXPECT_LE(count.legal, 400) << CanonicalText(Problem(spec)) << " on " << arch;
          EXPECT_GE(count.legal, 1) << CanonicalText(Problem(spec)) << " on " << arch;
        }
      }
    }
  }
}

TEST(MmaSyncSpace, StopsWhenToldTo) {
  int visited = 0;
  kMmaSyncFamily.enumerate(Problem({}), Device("sm_90a"),
                           [&](const KernelConfig&) { return ++visited < 5; });
  EXPECT_EQ(visited, 5);
}

bool Contains(const GemmProblem& problem, const std::function<bool(const KernelConfig&)>& wanted) {
  bool found = false;
  DeviceSpec device = Device("sm_90a");
  kMmaSyncFamily.enumerate(problem, device, [&](const KernelConfig& config) {
    found = wanted(config) && kMmaSyncFamily.plan(problem, device, config).resources.has_value();
    return !found;
  });
  return found;
}

TEST(MmaSyncSpace, HasLargeTilesForLargeProblemsAndSplitsForFewRows) {
  EXPECT_TRUE(Contains(Problem({}), [](const KernelConfig& c) {
    return c.Get("tile_m") == 128 && c.Get("tile_n") == 256 && c.Get("warp_m") == 64;
  }));
  EXPECT_FALSE(Contains(Problem({}), [](const KernelConfig& c) { return c.Get("tile_m") < 64; }));
  EXPECT_TRUE(Contains(Problem({.m = 8}), [](const KernelConfig& c) {
    return c.Get("tile_m") == 16 && c.Get("split_k") > 1 && c.Get("stages") >= 6;
  }));
}

}  // namespace
}  // namespace tw
