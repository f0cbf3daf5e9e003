// No false alarm: random legal candidates of every family over edge sizes, all layouts, types,
// alignments, leading dimensions, batch strides and epilogues pass the verifier.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "draw.h"
#include "edge_problems.h"
#include "sweep.h"

namespace tw {
namespace {

using Rng = std::mt19937_64;

std::vector<Group> MakeGroups(const DeviceSpec& device,
                              std::uint64_t seed,
                              std::size_t candidates) {
  constexpr int kMoreProblems = 100;
  Rng rng(seed);
  std::vector<GemmProblem> problems = EdgeProblems(seed, kMoreProblems);
  std::shuffle(problems.begin(), problems.end(), rng);
  std::vector<Group> groups;
  std::size_t drawn = 0;
  // Small problems carry few legal candidates: the others make up for them.
  for (std::size_t i = 0; i < problems.size() && drawn < candidates; ++i) {
    constexpr std::size_t kSpare = 4;
    const std::size_t share = (candidates - drawn) / (problems.size() - i) + kSpare;
    Group group;
    group.problem = problems[i];
    group.candidates = Draw(problems[i], device, std::min(share, candidates - drawn), rng);
    group.kernels.resize(group.candidates.size());
    drawn += group.candidates.size();
    groups.push_back(std::move(group));
  }
  return groups;
}

void Sweep(std::uint64_t seed, std::size_t candidates) {
  TW_REQUIRE_GPU(gpu);
  std::vector<Group> groups = MakeGroups(gpu.device().Spec(), seed, candidates);
  const double worst = CompileAndJudge(gpu, groups, seed);
  std::size_t judged = 0;
  for (const Group& group : groups)
    judged += group.candidates.size();
  std::printf("%zu problems, %zu candidates, worst error ratio %.3f, seed %llu\n", groups.size(),
              judged, worst, static_cast<unsigned long long>(seed));
  EXPECT_EQ(judged, candidates);
}

constexpr std::size_t kCandidates = 2000;

TEST(FalseAlarm, NoneWithSeed1) {
  Sweep(1, kCandidates);
}

TEST(FalseAlarm, NoneWithSeed2) {
  Sweep(2, kCandidates);
}

// Small enough to run under compute-sanitizer.
TEST(FalseAlarm, NoneInAFew) {
  Sweep(3, 40);
}

}  // namespace
}  // namespace tw
