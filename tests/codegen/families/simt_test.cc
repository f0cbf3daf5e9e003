// Family simt: the plan's figures and rules, the fallback that always exists, the launch.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/families/simt.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/families/split_k.h"
#include "tw/families/simt.plan.h"

namespace tw {
namespace {

struct Knobs {
  int tile_m = 128, tile_n = 128, tile_k = 16;
  int thread_m = 8, thread_n = 8;
  int stages = 3, group_m = 8, min_blocks = 1, split_k = 1;
};

KernelConfig Config(const Knobs& k) {
  KernelConfig config;
  config.family = "simt";
  config.knobs = {{"tile_m", k.tile_m},     {"tile_n", k.tile_n},         {"tile_k", k.tile_k},
                  {"thread_m", k.thread_m}, {"thread_n", k.thread_n},     {"stages", k.stages},
                  {"group_m", k.group_m},   {"min_blocks", k.min_blocks}, {"split_k", k.split_k}};
  return config;
}

struct ProblemSpec {
  std::int64_t m = 4096, n = 4096, k = 4096, batch = 1;
  DType type = DType::kF32;
  std::string_view layout = "tn";
};

GemmProblem MakeProblem(const ProblemSpec& spec) {
  GemmProblem problem;
  problem.m = spec.m;
  problem.n = spec.n;
  problem.k = spec.k;
  problem.batch = spec.batch;
  problem.a.type = problem.b.type = spec.type;
  problem.a.major = spec.layout[0] == 'n' ? Major::kRow : Major::kCol;
  problem.b.major = spec.layout[1] == 'n' ? Major::kRow : Major::kCol;
  problem.acc = DType::kF32;
  if (spec.type == DType::kF64)
    problem.acc = DType::kF64;
  if (spec.type == DType::kS8)
    problem.acc = DType::kS32;
  problem.d.type = problem.acc;
  problem.c = problem.d;
  return Normalize(problem).value();
}

DeviceSpec Device(std::string_view arch) {
  return ReferenceDevice(arch).value();
}

PlanResult PlanOf(const ProblemSpec& spec, const Knobs& knobs, std::string_view arch = "sm_90a") {
  return kSimtFamily.plan(MakeProblem(spec), Device(arch), Config(knobs));
}

std::string SourceOf(const GemmProblem& problem, const Knobs& knobs) {
  return kSimtFamily.emit(problem, Device("sm_90a"), Config(knobs)).candidate_struct;
}

bool HasField(const std::string& plan, const std::string& field) {
  return plan.find("." + field + ",") != std::string::npos;
}

// ---- figures, by hand -----------------------------------------------------------------------

TEST(SimtPlan, BothOperandsInPlaceNeedNoPadding) {
  // 3 stages of 16 rows of 128 + 128 floats.
  Resources r = PlanOf({.layout = "tn"}, {}).resources.value();
  EXPECT_EQ(r.smem_bytes, 3 * 16 * 256 * 4);
  EXPECT_EQ(r.threads, 256);
  EXPECT_EQ(r.tiles, 32 * 32);
  EXPECT_EQ(r.blocks, 32 * 32);
  EXPECT_EQ(r.workspace_bytes, 0);
}

TEST(SimtPlan, TransposedOperandIsPaddedByFourWords) {
  EXPECT_EQ(PlanOf({.layout = "nn"}, {}).resources->smem_bytes, 3 * 16 * (132 + 128) * 4);
  EXPECT_EQ(PlanOf({.layout = "nt"}, {.stages = 2}).resources->smem_bytes,
            2 * 16 * (132 + 132) * 4);
}

TEST(SimtPlan, WordsOfDoublesAndOfPackedBytes) {
  Knobs knobs{.tile_m = 64, .tile_n = 64, .thread_m = 4, .thread_n = 4, .stages = 2};
  EXPECT_EQ(PlanOf({.type = DType::kF64}, knobs).resources->smem_bytes, 2 * 16 * 128 * 8);
  // Four k a word: 16 k are 4 rows.
  EXPECT_EQ(PlanOf({.type = DType::kS8}, knobs).resources->smem_bytes, 2 * 4 * 128 * 4);
  EXPECT_EQ(PlanOf({.type = DType::kF64}, knobs).resources->threads, 256);
}

TEST(SimtPlan, ThreadsAreTheTileOverTheThreadTile) {
  Knobs knobs{.tile_m = 256, .tile_n = 128, .tile_k = 8, .thread_m = 16, .thread_n = 8};
  EXPECT_EQ(PlanOf({}, knobs).resources->threads, 256);
  Knobs small{.tile_m = 16, .tile_n = 32, .thread_m = 4, .thread_n = 4};
  EXPECT_EQ(PlanOf({}, small).resources->threads, 32);
}

TEST(SimtPlan, SplitKeepsPartialSumsOfEverySlice) {
  ProblemSpec spec{.m = 256, .n = 260, .k = 65536, .batch = 2};
  Resources r = PlanOf(spec, {.split_k = 16}).resources.value();
  EXPECT_EQ(r.workspace_bytes, 16 * 2 * 256 * 260 * 4);
  EXPECT_EQ(r.tiles, 2 * 3 * 2);
  EXPECT_EQ(r.blocks, 16 * r.tiles);
}

// ---- rules ----------------------------------------------------------------------------------

struct RuleCase {
  std::string rule;
  ProblemSpec problem;
  Knobs knobs;
  std::string arch = "sm_90a";
};

TEST(SimtPlan, NamesTheRuleThatAConfigurationBreaks) {
  const std::vector<RuleCase> cases = {
      {"knobs", {}, {.tile_m = 96}},
      {"threads", {}, {.tile_m = 32, .tile_n = 32, .thread_m = 16, .thread_n = 8}},
      {"threads", {}, {.thread_m = 4, .thread_n = 4}},
      {"stages", {.layout = "nt"}, {.stages = 3}},
      {"stages", {.layout = "tn"}, {.stages = 3}, "sm_75"},
      {"smem",
       {.type = DType::kF64},
       {.tile_m = 256, .tile_n = 64, .tile_k = 32, .thread_m = 8, .thread_n = 4, .stages = 4},
       "sm_120a"},
      {"registers", {}, {.thread_m = 16, .thread_n = 16}},
      {"registers", {.layout = "nt"}, {.stages = 2, .min_blocks = 2}},
      {"tile_exceeds_problem", {.m = 64}, {}},
      {"tile_exceeds_problem", {.n = 1}, {.tile_n = 64}},
      {"split_k", {.k = 256}, {.split_k = 32}},
      {"split_k", {.m = 100000, .n = 100000}, {.split_k = 2}},
  };
  for (const RuleCase& c : cases) {
    PlanResult result = PlanOf(c.problem, c.knobs, c.arch);
    EXPECT_FALSE(result.resources.has_value()) << c.rule;
    EXPECT_EQ(result.rejection.rule, c.rule) << result.rejection.detail;
  }
}

TEST(SimtPlan, TileOfWhichMoreThanHalfIsUsedIsLegal) {
  EXPECT_TRUE(PlanOf({.m = 65}, {}).resources.has_value());
}

// ---- the fallback that always exists --------------------------------------------------------

std::int64_t RandomSize(std::mt19937_64& random) {
  constexpr int kMostBits = 18;
  std::uint64_t bits = random() % kMostBits;
  return static_cast<std::int64_t>(random() % (std::uint64_t{1} << bits)) + 1;
}

GemmProblem RandomProblem(std::mt19937_64& random) {
  constexpr DType kTypes[] = {DType::kF64, DType::kF32,  DType::kTf32,
                              DType::kF16, DType::kBf16, DType::kS8};
  constexpr std::string_view kLayouts[] = {"nn", "nt", "tn", "tt"};
  ProblemSpec spec{.m = RandomSize(random),
                   .n = RandomSize(random),
                   .k = RandomSize(random) - 1,
                   .batch = random() % 4 == 0 ? 100000 : 1,
                   .type = kTypes[random() % std::size(kTypes)],
                   .layout = kLayouts[random() % std::size(kLayouts)]};
  return MakeProblem(spec);
}

int CountLegal(const GemmProblem& problem, const DeviceSpec& device) {
  int legal = 0;
  kSimtFamily.enumerate(problem, device, [&](const KernelConfig& config) {
    legal += kSimtFamily.plan(problem, device, config).resources ? 1 : 0;
    return true;
  });
  return legal;
}

TEST(SimtSpace, EveryProblemHasALegalConfigurationOnEveryDevice) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100; ++i) {
    GemmProblem problem = RandomProblem(random);
    for (const DeviceSpec& device : ReferenceDevices()) {
      ASSERT_FALSE(kSimtFamily.unsupported(problem, device)) << CanonicalText(problem);
      int legal = CountLegal(problem, device);
      EXPECT_GE(legal, 1) << CanonicalText(problem) << " on " << device.arch;
      EXPECT_LE(legal, 150) << CanonicalText(problem) << " on " << device.arch;
    }
  }
}

TEST(SimtSpace, StopsWhenTheVisitorSaysSo) {
  int visits = 0;
  kSimtFamily.enumerate(MakeProblem({}), Device("sm_90a"), [&](const KernelConfig&) {
    ++visits;
    return visits < 3;
  });
  EXPECT_EQ(visits, 3);
}

TEST(SimtSpace, TallKOffersSplits) {
  int most = 1;
  GemmProblem problem = MakeProblem({.m = 256, .n = 256, .k = 65536});
  kSimtFamily.enumerate(problem, Device("sm_90a"), [&](const KernelConfig& config) {
    if (kSimtFamily.plan(problem, Device("sm_90a"), config).resources)
      most = std::max(most, config.Get("split_k"));
    return true;
  });
  EXPECT_GE(most, 32);
}

TEST(Simt, RefusesWhatItDoesNotCarry) {
  GemmProblem problem = MakeProblem({});
  problem.acc = DType::kF16;
  EXPECT_TRUE(kSimtFamily.unsupported(problem, Device("sm_90a")));
}

// ---- launch ---------------------------------------------------------------------------------

TEST(SimtLaunch, OneBlockPerTileSliceAndBatchItem) {
  ProblemSpec spec{.m = 200, .n = 300, .k = 65536, .batch = 70000};
  GemmProblem problem = MakeProblem(spec);
  LaunchPlan plan = kSimtFamily.launch(problem, Device("sm_90a"), Config({}));
  ASSERT_EQ(plan.launches.size(), 1U);
  EXPECT_EQ(plan.launches[0].grid[0], 2U * 3U * 70000U);
  EXPECT_EQ(plan.launches[0].grid[1], 1U);
  EXPECT_EQ(plan.launches[0].block[0], 256U);
  EXPECT_EQ(plan.launches[0].dynamic_smem_bytes, 3U * 16U * 256U * 4U);
  EXPECT_EQ(plan.workspace_bytes, 0);
}

TEST(SimtLaunch, MoreTilesThanAGridHoldsAreWalked) {
  ProblemSpec spec{.m = std::int64_t{1} << 36, .n = 32, .k = 1};
  GemmProblem problem = MakeProblem(spec);
  Knobs knobs{.tile_m = 16, .tile_n = 32, .thread_m = 4, .thread_n = 4};
  LaunchPlan plan = kSimtFamily.launch(problem, Device("sm_90a"), Config(knobs));
  EXPECT_EQ(plan.launches[0].grid[0], std::uint32_t{std::numeric_limits<std::int32_t>::max()});
  EXPECT_TRUE(HasField(SourceOf(problem, knobs), "huge = true"));
  EXPECT_TRUE(HasField(SourceOf(MakeProblem({}), knobs), "huge = false"));
}

TEST(SimtLaunch, SplitIsReducedByASecondKernel) {
  GemmProblem problem = MakeProblem({.m = 256, .n = 256, .k = 65536});
  Knobs knobs{.split_k = 8};
  LaunchPlan plan = kSimtFamily.launch(problem, Device("sm_90a"), Config(knobs));
  EntryParts parts = kSimtFamily.emit(problem, Device("sm_90a"), Config(knobs));
  ASSERT_EQ(plan.launches.size(), 2U);
  EXPECT_EQ(plan.launches[0].entry, parts.entry);
  EXPECT_EQ(plan.launches[1].entry, parts.entry + "_reduce");
  EXPECT_NE(parts.kernels.find(plan.launches[1].entry + "("), std::string::npos);
  EXPECT_EQ(plan.workspace_bytes, 8 * 256 * 256 * 4);
  EXPECT_EQ(plan.launches[1].grid[0], 256U * 256U / 4 / 256);
}

// ---- alignment ------------------------------------------------------------------------------

TEST(SimtPlan, AccessesAreAsWideAsEveryRowAllows) {
  GemmProblem problem = MakeProblem({});
  EXPECT_TRUE(HasField(SourceOf(problem, {}), "access_a = 4"));
  EXPECT_TRUE(HasField(SourceOf(problem, {}), "access_out = 4"));
  problem.a.align_bytes = 8;
  problem.b.ld += 1;
  problem.d.ld += 2;
  std::string plan = SourceOf(problem, {});
  EXPECT_TRUE(HasField(plan, "access_a = 2"));
  EXPECT_TRUE(HasField(plan, "access_b = 1"));
  EXPECT_TRUE(HasField(plan, "access_out = 2"));
}

TEST(SimtPlan, ConvertedTypesAndOldArchsCopyThroughRegisters) {
  EXPECT_TRUE(HasField(SourceOf(MakeProblem({}), {}), "async = true"));
  EXPECT_TRUE(HasField(SourceOf(MakeProblem({.type = DType::kBf16}), {}), "async = false"));
  std::string old = kSimtFamily.emit(MakeProblem({}), Device("sm_75"), Config({})).candidate_struct;
  EXPECT_TRUE(HasField(old, "async = false"));
}

// ---- split-K --------------------------------------------------------------------------------

TEST(SplitK, WorkspaceBeyondTheLimitIsRefused) {
  GemmProblem problem = MakeProblem({.m = 16384, .n = 8192, .k = 65536});
  EXPECT_EQ(SplitKWorkspaceBytes(problem, 1), 0);
  EXPECT_EQ(SplitKWorkspaceBytes(problem, 2), std::int64_t{1} << 30U);
  EXPECT_FALSE(SplitKWorkspaceBytes(problem, 4));
}

TEST(SplitK, ReduceStoresAsWideAsRowsAllow) {
  GemmProblem problem = MakeProblem({.m = 8, .n = 256, .k = 65536});
  EXPECT_NE(SplitKReduceKernel(problem, "x", 4).find("<Problem, 4, 4>"), std::string::npos);
  problem = MakeProblem({.m = 8, .n = 254, .k = 65536});
  EXPECT_NE(SplitKReduceKernel(problem, "x", 4).find("<Problem, 4, 2>"), std::string::npos);
  problem.d.major = Major::kCol;
  EXPECT_NE(SplitKReduceKernel(problem, "x", 4).find("<Problem, 4, 1>"), std::string::npos);
}

}  // namespace
}  // namespace tw
