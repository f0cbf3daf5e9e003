// What each choice of family wgmma_tma buys: variants of one configuration, verified, then timed in
// turns with it. Prints a table; only a wrong kernel fails.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/families/wgmma_tma.h"
#include "codegen/source_builder.h"
#include "gpu_fixture.h"
#include "parallel.h"
#include "tuner/measure/loaded_candidate.h"
#include "tuner/measure/memory_plan.h"
#include "tuner/measure/ratio.h"
#include "tuner/measure/timed_buffers.h"
#include "tuner/measure/timing.h"

namespace tw {
namespace {

struct Variant {
  std::string what;
  std::vector<std::pair<std::string, int>> knobs;  // that differ from the base
};

constexpr const char* kBase =
    "wgmma_tma:tile_m=128,tile_n=128,swap=0,consumers=2,pingpong=1,stages=6,cluster_m=1,"
    "cluster_n=1,group_m=8,split_k=1,reduce=0,deferred=1,tma_store=1,blocks=1";

std::vector<Variant> Variants() {
  return {
      {"base: 128x128 in turns, no cluster, 6 stages, groups of 8, TMA store, deferred", {}},
      {"multicast of B (cluster 2x1)", {{"cluster_m", 2}}},
      {"multicast of A (cluster 1x2)", {{"cluster_n", 2}}},
      {"cooperative", {{"pingpong", 0}}},
      {"cooperative 128x256, 4 stages", {{"pingpong", 0}, {"tile_n", 256}, {"stages", 4}}},
      {"the same with cluster 2x1",
       {{"pingpong", 0}, {"tile_n", 256}, {"stages", 4}, {"cluster_m", 2}}},
      {"128x112 in turns", {{"tile_n", 112}}},
      {"128x176 in turns, 5 stages", {{"tile_n", 176}, {"stages", 5}}},
      {"128x200 in turns, 4 stages", {{"tile_n", 200}, {"stages", 4}}},
      {"192x128 in turns, 4 stages", {{"tile_m", 192}, {"stages", 4}}},
      {"operands swapped", {{"swap", 1}}},
      {"groups of 1", {{"group_m", 1}}},
      {"groups of 4", {{"group_m", 4}}},
      {"groups of 16", {{"group_m", 16}}},
      {"direct store", {{"tma_store", 0}}},
      {"5 stages", {{"stages", 5}}},
      {"4 stages", {{"stages", 4}}},
      {"3 stages", {{"stages", 3}}},
      {"given back at once", {{"deferred", 0}}},
      {"given back at once, cooperative", {{"deferred", 0}, {"pingpong", 0}}},
      {"stream-K, cooperative 128x256, 4 stages",
       {{"pingpong", 0}, {"tile_n", 256}, {"stages", 4}, {"reduce", 3}}},
  };
}

KernelConfig ConfigOf(const Variant& variant) {
  KernelConfig config = ParseKernelConfig(kBase).value();
  for (const auto& [name, value] : variant.knobs) {
    for (auto& knob : config.knobs) {
      if (knob.first == name)
        knob.second = value;
    }
  }
  return config;
}

GemmProblem Square(std::int64_t size) {
  GemmProblem p{.m = size, .n = size, .k = size};
  p.a.type = p.b.type = p.c.type = p.d.type = DType::kBf16;
  p.b.major = Major::kCol;
  p.acc = DType::kF32;
  return Normalize(p).value();
}

// Nothing where the plan refuses it.
std::optional<CompiledKernel> Compile(GpuFixture& gpu,
                                      const GemmProblem& problem,
                                      const KernelConfig& config) {
  const DeviceSpec& device = gpu.device().Spec();
  if (!kWgmmaTmaFamily.plan(problem, device, config).resources)
    return std::nullopt;
  return gpu.Compile(
      BuildSource({kWgmmaTmaFamily, problem, device, config}, TemplateStore()).value());
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void Ablate(std::int64_t size) {
  TW_REQUIRE_GPU(gpu);
  Device& device = gpu.device();
  if (device.Spec().cc() != kWgmmaTmaFamily.min_cc)
    GTEST_SKIP() << "NOT MEASURED: " << device.Spec().arch << " has no wgmma";
  const GemmProblem problem = Square(size);
  const std::vector<Variant> variants = Variants();
  std::vector<std::optional<CompiledKernel>> kernels(variants.size());
  ForEachInParallel(variants.size(), [&](std::size_t i) {
    kernels[i] = Compile(gpu, problem, ConfigOf(variants[i]));
  });

  auto support = SupportKernels::Load(device, gpu.CompileSupport(problem)).value();
  const MemoryPlan plan = PlanMemory(problem, Objective::kCold,
                                     {device.Memory().FreeBytes().value(), device.Spec().l2_bytes})
                              .value();
  auto verifier = Verifier::Open(device, support, problem, {.trials = plan.trials}).value();
  std::vector<LoadedCandidate> loaded;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (!kernels[i]) {
      std::printf("%-80s not legal\n", variants[i].what.c_str());
      continue;
    }
    auto candidate = LoadedCandidate::Load(
        device,
        {"", *kernels[i], kWgmmaTmaFamily.launch(problem, device.Spec(), ConfigOf(variants[i]))});
    ASSERT_TRUE(candidate.ok()) << candidate.status().ToString();
    const auto verdict = verifier->Check(*candidate);
    ASSERT_TRUE(verdict.ok()) << variants[i].what << ": " << verdict.status().ToString();
    EXPECT_TRUE(verdict->ok()) << variants[i].what << ": " << verdict->rule << " "
                               << verdict->detail;
    if (verdict->ok()) {
      loaded.push_back(*std::move(candidate));
      names.push_back(variants[i].what);
    }
  }

  auto buffers = TimedBuffers::Make(device, support, problem,
                                    {.copies = plan.copies, .seed = 1, .unread_c = 0})
                     .value();
  TimingRig rig(device, gpu.clock(), buffers, {});
  std::vector<const Contestant*> contestants;
  for (const LoadedCandidate& candidate : loaded)
    contestants.push_back(&candidate);
  ASSERT_FALSE(contestants.empty());
  const auto times = rig.Compare(contestants, {.max_rounds = 21, .max_seconds = 60}).value();
  std::printf("%lld^3 bf16 nt, base time over the variant's: above 1 the variant is faster\n",
              static_cast<long long>(size));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const RatioEstimate ratio = EstimateRatio(times.rounds_ns.front(), times.rounds_ns[i]);
    std::printf("%-80s %9.2f us  %.4f [%.4f, %.4f]\n", names[i].c_str(),
                Median(times.rounds_ns[i]) / 1e3, ratio.ratio, ratio.low, ratio.high);
  }
}

TEST(WgmmaTmaAblation, Of4096) {
  Ablate(4096);
}

TEST(WgmmaTmaAblation, Of8192) {
  Ablate(8192);
}

}  // namespace
}  // namespace tw
