// Family wgmma_tma on the device: any legal configuration, not only those that the space offers,
// over sizes around every step of a tile; and long runs of what waits across blocks.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/families/wgmma_tma.h"
#include "codegen/source_builder.h"
#include "random_wgmma.h"
#include "sweep.h"
#include "tuner/device/device_buffer.h"
#include "tuner/measure/loaded_candidate.h"

namespace tw {
namespace {

void Sweep(std::uint64_t seed, std::size_t problems, std::size_t candidates_each) {
  TW_REQUIRE_GPU(gpu);
  const DeviceSpec& device = gpu.device().Spec();
  if (device.cc() != kWgmmaTmaFamily.min_cc)
    GTEST_SKIP() << "NOT TESTED: " << device.arch << " has no wgmma";
  Rng rng(seed);
  std::vector<Group> groups;
  std::size_t judged = 0;
  while (groups.size() < problems) {
    Group group;
    group.problem = RandomWgmmaProblem(rng);
    for (std::size_t i = 0; i < candidates_each; ++i) {
      if (auto candidate = RandomWgmmaCandidate(group.problem, device, rng))
        group.candidates.push_back(*std::move(candidate));
    }
    group.kernels.resize(group.candidates.size());
    judged += group.candidates.size();
    groups.push_back(std::move(group));
  }
  const double worst = CompileAndJudge(gpu, groups, seed);
  std::printf("%zu problems, %zu candidates, worst error ratio %.3f, seed %llu\n", problems, judged,
              worst, static_cast<unsigned long long>(seed));
  EXPECT_GE(judged, problems * candidates_each / 2) << "the generator misses what is legal";
}

TEST(WgmmaTmaSweep, RandomConfigurationsAroundTheSteps) {
  Sweep(1, 250, 4);
}

// Small enough to run under compute-sanitizer.
TEST(WgmmaTmaSweep, InAFew) {
  Sweep(2, 24, 2);
}

KernelConfig Parsed(const std::string& text) {
  return ParseKernelConfig("wgmma_tma:" + text).value();
}

// What can go wrong once in a thousand launches: a block that leaves before another has finished
// with it, a counter that is not put back.
TEST(WgmmaTmaEndurance, TenThousandLaunchesOfWhatWaitsAcrossBlocks) {
  TW_REQUIRE_GPU(gpu);
  if (gpu.device().Spec().cc() != kWgmmaTmaFamily.min_cc)
    GTEST_SKIP() << "NOT TESTED: " << gpu.device().Spec().arch << " has no wgmma";
  GemmProblem problem{.m = 512, .n = 512, .k = 1024};
  problem.a.type = problem.b.type = problem.c.type = problem.d.type = DType::kBf16;
  problem.b.major = Major::kCol;
  problem.acc = DType::kF32;
  problem = Normalize(problem).value();
  for (const std::string text :
       {"tile_m=128,tile_n=128,swap=0,consumers=2,pingpong=1,stages=4,cluster_m=2,cluster_n=1,"
        "group_m=8,split_k=1,reduce=0,deferred=1,tma_store=1,blocks=1,temporaries=0,unroll=1",
        "tile_m=128,tile_n=128,swap=0,consumers=2,pingpong=0,stages=4,cluster_m=2,cluster_n=2,"
        "group_m=8,split_k=1,reduce=0,deferred=1,tma_store=1,blocks=1,temporaries=0,unroll=1",
        "tile_m=64,tile_n=128,swap=0,consumers=1,pingpong=0,stages=4,cluster_m=1,cluster_n=1,"
        "group_m=8,split_k=4,reduce=1,deferred=1,tma_store=0,blocks=1,temporaries=0,unroll=1",
        "tile_m=64,tile_n=128,swap=0,consumers=1,pingpong=0,stages=4,cluster_m=1,cluster_n=1,"
        "group_m=8,split_k=8,reduce=2,deferred=1,tma_store=0,blocks=1,temporaries=0,unroll=1",
        "tile_m=64,tile_n=32,swap=0,consumers=1,pingpong=0,stages=4,cluster_m=1,cluster_n=1,"
        "group_m=8,split_k=1,reduce=3,deferred=1,tma_store=1,blocks=1,temporaries=0,unroll=1"}) {
    const KernelConfig config = Parsed(text);
    SCOPED_TRACE(text);
    const DeviceSpec& device = gpu.device().Spec();
    ASSERT_TRUE(kWgmmaTmaFamily.plan(problem, device, config).resources)
        << kWgmmaTmaFamily.plan(problem, device, config).rejection.rule;
    const auto source = BuildSource({kWgmmaTmaFamily, problem, device, config}, TemplateStore());
    ASSERT_TRUE(source.ok());
    const LaunchPlan plan = kWgmmaTmaFamily.launch(problem, device, config);
    const auto loaded = LoadedCandidate::Load(gpu.device(), {"", gpu.Compile(*source), plan});
    ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
    DeviceMemory& memory = gpu.device().Memory();
    constexpr std::int64_t kBytes = std::int64_t{1} << 20;
    const DeviceBuffer a = DeviceBuffer::Allocate(memory, kBytes).value();
    const DeviceBuffer b = DeviceBuffer::Allocate(memory, kBytes).value();
    const DeviceBuffer d = DeviceBuffer::Allocate(memory, kBytes).value();
    const DeviceBuffer workspace = DeviceBuffer::Allocate(memory, 64 * kBytes).value();
    std::vector<std::byte> operands(kBytes);
    Rng rng(1);
    for (std::size_t i = 0; i < operands.size(); i += 2) {
      operands[i] = static_cast<std::byte>(rng());
      operands[i + 1] = static_cast<std::byte>(0x3e | (rng() & 1U));  // around a half
    }
    ASSERT_TRUE(memory.Write(a.address(), operands).ok());
    ASSERT_TRUE(memory.Write(b.address(), operands).ok());
    ASSERT_TRUE(memory.Set(workspace.address(), 0, plan.workspace_bytes + 1).ok());
    GemmParams params{};
    params.a = reinterpret_cast<const void*>(a.address());
    params.b = reinterpret_cast<const void*>(b.address());
    params.d = reinterpret_cast<void*>(d.address());
    params.workspace = reinterpret_cast<void*>(workspace.address());
    params.m = problem.m;
    params.n = problem.n;
    params.k = problem.k;
    params.batch = 1;
    params.lda = params.ldb = problem.k;
    params.ldd = problem.n;
    params.alpha = 1;
    const auto run = [&](int launches) {
      for (int i = 0; i < launches; ++i)
        ASSERT_TRUE(loaded->Launch(params).ok());
      ASSERT_TRUE(gpu.device().Synchronize().ok());
    };
    const auto bits = [&] {
      std::vector<std::byte> x(static_cast<std::size_t>(problem.m * problem.n * 2));
      EXPECT_TRUE(memory.Read(x, d.address()).ok());
      return x;
    };
    run(1);
    const std::vector<std::byte> once = bits();
    constexpr int kLaunches = 10'000;
    run(kLaunches);
    EXPECT_EQ(bits(), once);
  }
}

}  // namespace
}  // namespace tw
