// No false alarm: random legal candidates of every family over edge sizes, all layouts, types,
// alignments, leading dimensions, batch strides and epilogues pass the verifier.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/families/registry.h"
#include "codegen/source_builder.h"
#include "edge_problems.h"
#include "gpu_fixture.h"
#include "parallel.h"
#include "tuner/measure/loaded_candidate.h"
#include "tuner/search/space.h"

namespace tw {
namespace {

using Rng = std::mt19937_64;

// The candidates of one problem.
struct Group {
  GemmProblem problem;
  std::vector<Candidate> candidates;
  CompiledKernel support;
  std::vector<CompiledKernel> kernels;
};

// Candidates of the families in turns, shuffled within each; at most `most`.
std::vector<Candidate> Draw(const GemmProblem& problem,
                            const DeviceSpec& device,
                            std::size_t most,
                            Rng& rng) {
  std::vector<std::vector<Candidate>> legal;
  for (const KernelFamily* family : AllFamilies()) {
    legal.push_back(BuildSpace(problem, device, {}, family->name).candidates);
    std::shuffle(legal.back().begin(), legal.back().end(), rng);
  }
  std::vector<Candidate> drawn;
  for (std::size_t i = 0; i < most; ++i) {
    for (const auto& candidates : legal) {
      if (i < candidates.size() && drawn.size() < most)
        drawn.push_back(candidates[i]);
    }
  }
  return drawn;
}

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

void CompileAll(GpuFixture& gpu, std::vector<Group>& groups) {
  struct Task {
    Group* group;
    std::size_t index;  // past the candidates: the support module
  };

  std::vector<Task> tasks;
  for (Group& group : groups) {
    for (std::size_t i = 0; i <= group.candidates.size(); ++i)
      tasks.push_back({&group, i});
  }
  const DeviceSpec device = gpu.device().Spec();
  const TemplateStore templates;
  ForEachInParallel(tasks.size(), [&](std::size_t t) {
    Group& group = *tasks[t].group;
    const std::size_t i = tasks[t].index;
    if (i == group.candidates.size()) {
      group.support = gpu.CompileSupport(group.problem);
      return;
    }
    const KernelConfig& config = group.candidates[i].config;
    auto source =
        BuildSource({*FindFamily(config.family), group.problem, device, config}, templates);
    ASSERT_TRUE(source.ok()) << source.status().ToString();
    group.kernels[i] = gpu.Compile(*source);
  });
}

// Worst error ratio of the group.
double JudgeGroup(GpuFixture& gpu, const Group& group, std::uint64_t seed) {
  double worst = 0;
  auto support = SupportKernels::Load(gpu.device(), group.support);
  EXPECT_TRUE(support.ok()) << support.status().ToString();
  auto verifier = Verifier::Open(gpu.device(), *support, group.problem, {.seed = seed});
  EXPECT_TRUE(verifier.ok()) << verifier.status().ToString() << CanonicalText(group.problem);
  for (std::size_t i = 0; i < group.candidates.size() && gpu.device().sticky_error() == 0; ++i) {
    const KernelConfig& config = group.candidates[i].config;
    const LaunchPlan plan =
        FindFamily(config.family)->launch(group.problem, gpu.device().Spec(), config);
    const auto loaded = LoadedCandidate::Load(gpu.device(), {"", group.kernels[i], plan});
    EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
    const auto verdict = (*verifier)->Check(*loaded);
    EXPECT_TRUE(verdict.ok()) << verdict.status().ToString();
    EXPECT_TRUE(verdict.ok() && verdict->ok())
        << (verdict.ok() ? verdict->rule + ": " + verdict->detail : "") << "\n  "
        << CanonicalText(group.problem) << "\n  " << Text(config);
    if (verdict.ok())
      worst = std::max(worst, verdict->error_ratio);
  }
  return worst;
}

void Sweep(std::uint64_t seed, std::size_t candidates) {
  TW_REQUIRE_GPU(gpu);
  std::vector<Group> groups = MakeGroups(gpu.device().Spec(), seed, candidates);
  CompileAll(gpu, groups);
  double worst = 0;
  std::size_t judged = 0;
  for (const Group& group : groups) {
    worst = std::max(worst, JudgeGroup(gpu, group, seed));
    judged += group.candidates.size();
    ASSERT_EQ(gpu.device().sticky_error(), 0) << "the device is lost to this process";
  }
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
