// SPDX-License-Identifier: Apache-2.0
#include "sweep.h"

#include <algorithm>
#include <span>
#include <string>
#include <thread>

#include "codegen/families/registry.h"
#include "codegen/source_builder.h"
#include "parallel.h"
#include "tuner/measure/loaded_candidate.h"

namespace tw {
namespace {

void CompileAll(GpuFixture& gpu, std::span<Group> groups) {
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
  VerifierOptions judging = group.judging;
  judging.seed = seed;
  auto verifier = Verifier::Open(gpu.device(), *support, group.problem, judging);
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

}  // namespace

double CompileAndJudge(GpuFixture& gpu, std::vector<Group>& groups, std::uint64_t seed) {
  constexpr std::size_t kSlice = 64;
  const auto slice = [&](std::size_t first) {
    return std::span(groups).subspan(first, std::min(kSlice, groups.size() - first));
  };
  double worst = 0;
  if (!groups.empty())
    CompileAll(gpu, slice(0));
  for (std::size_t first = 0; first < groups.size(); first += kSlice) {
    // The next ones are compiled while these are judged.
    std::jthread compiling([&] {
      if (first + kSlice < groups.size())
        CompileAll(gpu, slice(first + kSlice));
    });
    for (Group& group : slice(first)) {
      worst = std::max(worst, JudgeGroup(gpu, group, seed));
      group.kernels.clear();
      if (gpu.device().sticky_error() != 0) {
        ADD_FAILURE() << "the device is lost to this process";
        return worst;
      }
    }
  }
  return worst;
}

}  // namespace tw
