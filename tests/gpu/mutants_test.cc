// Every mutant is caught, with every seed, and the healthy kernel that it was made from passes.
// SPDX-License-Identifier: Apache-2.0
#include "tests/mutants/mutants.h"

#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/families/registry.h"
#include "gpu_fixture.h"
#include "parallel.h"
#include "tuner/measure/loaded_candidate.h"

namespace tw {
namespace {

constexpr std::size_t kSeeds = 20;

// One draw of a mutant: the same candidate from healthy templates and from broken ones.
struct Pair {
  Candidate candidate;
  CompiledKernel healthy, broken;
};

class MutantsOnGpu : public testing::TestWithParam<Mutant> {
 protected:
  void Compile(GpuFixture& gpu) {
    const Mutant& mutant = GetParam();
    const DeviceSpec device = gpu.device().Spec();
    const TemplateStore healthy;
    const TemplateStore broken = Plant(mutant, healthy).value();
    for (std::size_t seed = 0; seed < kSeeds; ++seed) {
      std::mt19937_64 rng(seed);
      pairs_[seed].candidate = DrawCarrier(mutant, problem_, device, rng);
    }
    ForEachInParallel(2 * kSeeds, [&](std::size_t i) {
      Pair& pair = pairs_[i / 2];
      const TemplateStore& templates = i % 2 == 0 ? healthy : broken;
      (i % 2 == 0 ? pair.healthy : pair.broken) =
          gpu.Compile(SourceFrom(templates, problem_, device, pair.candidate.config).value());
    });
  }

  Verdict Check(GpuFixture& gpu,
                Verifier& verifier,
                const Candidate& candidate,
                const CompiledKernel& kernel) {
    const CandidateRun run{candidate.id, kernel,
                           FindFamily(candidate.config.family)
                               ->launch(problem_, gpu.device().Spec(), candidate.config)};
    const auto loaded = LoadedCandidate::Load(gpu.device(), run);
    EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
    auto verdict = verifier.Check(*loaded);
    EXPECT_TRUE(verdict.ok()) << verdict.status().ToString();
    return verdict.ok() ? *verdict : Verdict{};
  }

  GemmProblem problem_ = GetParam().problem();
  std::vector<Pair> pairs_{kSeeds};
};

TEST_P(MutantsOnGpu, AreCaughtWithEverySeed) {
  TW_REQUIRE_GPU(gpu);
  Compile(gpu);
  auto support = SupportKernels::Load(gpu.device(), gpu.CompileSupport(problem_));
  ASSERT_TRUE(support.ok()) << support.status().ToString();
  std::map<std::string, int> rules;
  for (std::size_t seed = 0; seed < kSeeds; ++seed) {
    const Pair& pair = pairs_[seed];
    auto verifier = Verifier::Open(gpu.device(), *support, problem_, {.seed = seed + 1});
    ASSERT_TRUE(verifier.ok()) << verifier.status().ToString();
    const Verdict healthy = Check(gpu, **verifier, pair.candidate, pair.healthy);
    EXPECT_TRUE(healthy.ok()) << "false alarm: " << healthy.detail << "\n  "
                              << Text(pair.candidate.config);
    const Verdict broken = Check(gpu, **verifier, pair.candidate, pair.broken);
    EXPECT_FALSE(broken.ok()) << "escaped: seed " << seed << ", " << Text(pair.candidate.config);
    ++rules[broken.ok() ? "ESCAPED" : broken.rule];
    ASSERT_EQ(gpu.device().sticky_error(), 0) << "the device is lost to this process";
  }
  std::printf("%-28s", std::string(GetParam().name).c_str());
  for (const auto& [rule, count] : rules)
    std::printf(" %s %d", rule.c_str(), count);
  std::printf("\n");
}

INSTANTIATE_TEST_SUITE_P(All,
                         MutantsOnGpu,
                         testing::ValuesIn(AllMutants().begin(), AllMutants().end()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace tw
