// SPDX-License-Identifier: Apache-2.0
#include "counted_dram.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "contest_file.h"

namespace tw {
namespace {

DeviceSpec Hopper() {
  return *ReferenceDevice("sm_90a");
}

std::vector<ContestSection> Shipped() {
  auto sections = ReadContestFile(std::string(TW_SOURCE_DIR) + "/bench/shapes/counted.txt");
  EXPECT_TRUE(sections.ok()) << sections.status().ToString();
  return sections.ok() ? *std::move(sections) : std::vector<ContestSection>{};
}

TEST(CountedDram, TheShippedFileHoldsTenOfEveryKind) {
  int count = 0;
  std::set<std::string> families;
  std::set<int> groups, slices;
  std::set<bool> fits;
  for (const ContestSection& section : Shipped()) {
    const GemmProblem& p = section.problem;
    const std::int64_t bytes =
        (p.m * p.k + p.k * p.n) * BytesOf(p.a.type) + p.m * p.n * BytesOf(p.d.type);
    fits.insert(bytes < Hopper().l2_bytes);
    for (const Entrant& entrant : section.entrants) {
      const auto counted = ToCount(p, Hopper(), entrant.config);
      EXPECT_TRUE(counted.ok()) << counted.status().ToString();
      ++count;
      families.insert(entrant.config.family);
      groups.insert(entrant.config.Get("group_m"));
      slices.insert(entrant.config.Get("split_k"));
    }
  }
  EXPECT_EQ(count, 10);
  EXPECT_EQ(families, (std::set<std::string>{"simt", "mma_sync", "wgmma_tma"}));
  EXPECT_GE(groups.size(), 3U);
  EXPECT_GE(slices.size(), 3U);
  EXPECT_EQ(fits.size(), 2U);
}

constexpr const char* kSmall =
    "mma_sync:tile_m=64,tile_n=64,tile_k=32,warp_m=32,warp_n=32,stages=3,group_m=1,split_k=";

Result<CountedCandidate> Small(const GemmProblem& problem, const std::string& slices) {
  return ToCount(problem, Hopper(), ParseKernelConfig(kSmall + slices).value());
}

TEST(CountedDram, WhatHasTwoLaunchesOrIsNotLegalIsRefused) {
  const GemmProblem problem = ParseShapeLine("shape 512 512 512 1 bf16 nt").value();
  EXPECT_TRUE(Small(problem, "1").ok());
  EXPECT_EQ(Small(problem, "4").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Small(problem, "64").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ToCount(problem, Hopper(), {"no_family", {}}).status().code(),
            StatusCode::kInvalidArgument);
}

// What fits the L2 is read once and written once; D has a type of its own.
TEST(CountedDram, ReadsAndWritesAreApart) {
  GemmProblem problem = ParseShapeLine("shape 512 256 128 3 bf16 nt").value();
  problem.d.type = DType::kF32;
  const CountedCandidate counted = Small(problem, "1").value();
  CompiledKernel kernel;
  kernel.entries = {{.entry = counted.plan.launches.front().entry, .registers = 64}};
  const DramPrediction dram = PredictDram(problem, Hopper(), counted, kernel);
  EXPECT_EQ(dram.read, 3 * (512 * 128 + 128 * 256) * 2);
  EXPECT_EQ(dram.written, 3 * 512 * 256 * 4);
}

}  // namespace
}  // namespace tw
