// The whole problem surface: random problems over all fields, a few random candidates of each.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "draw.h"
#include "edge_problems.h"
#include "parallel.h"
#include "sweep.h"

namespace tw {
namespace {

void Sweep(std::uint64_t seed, int problems) {
  const std::vector<GemmProblem> drawn = FieldProblems(seed, problems);
  TW_REQUIRE_GPU(gpu);
  const DeviceSpec device = gpu.device().Spec();
  constexpr std::size_t kCandidates = 3;
  std::vector<Group> groups(drawn.size());
  ForEachInParallel(groups.size(), [&](std::size_t i) {
    std::mt19937_64 rng(seed + i);
    groups[i].problem = drawn[i];
    groups[i].candidates = Draw(drawn[i], device, kCandidates, rng);
    groups[i].kernels.resize(groups[i].candidates.size());
  });
  std::size_t judged = 0;
  for (const Group& group : groups) {
    EXPECT_FALSE(group.candidates.empty()) << CanonicalText(group.problem);
    judged += group.candidates.size();
  }
  const double worst = CompileAndJudge(gpu, groups, seed);
  std::printf("%zu problems, %zu candidates, worst error ratio %.3f, seed %llu\n", groups.size(),
              judged, worst, static_cast<unsigned long long>(seed));
}

constexpr int kProblems = 2000;

TEST(FieldSweep, AllAreRightWithSeed1) {
  Sweep(1, kProblems);
}

TEST(FieldSweep, AllAreRightWithSeed2) {
  Sweep(2, kProblems);
}

// Few enough to run under compute-sanitizer.
TEST(FieldSweep, AFewAreRight) {
  Sweep(3, 50);
}

}  // namespace
}  // namespace tw
