// The occupancy that we compute (codegen/occupancy.h) is the driver's, of every kernel of a sample
// of compiled candidates. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/families/registry.h"
#include "codegen/source_builder.h"
#include "contest_file.h"
#include "gpu_fixture.h"
#include "parallel.h"
#include "tuner/compiled_rules.h"
#include "tuner/search/space.h"

namespace tw {
namespace {

constexpr std::size_t kSample = 20;  // candidates of a shape

// At even distances over the legal ones, which lie family by family.
std::vector<Candidate> Sample(const std::vector<Candidate>& legal) {
  std::vector<Candidate> sample;
  const std::size_t count = std::min(kSample, legal.size());
  for (std::size_t i = 0; i < count; ++i)
    sample.push_back(legal[i * legal.size() / count]);
  return sample;
}

std::vector<CompiledKernel> CompileAll(GpuFixture& gpu,
                                       const GemmProblem& problem,
                                       const std::vector<Candidate>& candidates) {
  std::vector<CompiledKernel> kernels(candidates.size());
  ForEachInParallel(candidates.size(), [&](std::size_t i) {
    const KernelConfig& config = candidates[i].config;
    const auto source = BuildSource(
        {*FindFamily(config.family), problem, gpu.device().Spec(), config}, TemplateStore());
    ASSERT_TRUE(source.ok()) << source.status().ToString();
    kernels[i] = gpu.Compile(*source);
  });
  return kernels;
}

// Blocks of an SM by the driver; -1 where it refuses.
int DriversBlocks(GpuFixture& gpu, LoadedModule& module, const KernelLaunch& launch, int threads) {
  const auto kernel = module.GetKernel(launch.entry, launch.dynamic_smem_bytes);
  EXPECT_TRUE(kernel.ok()) << kernel.status().ToString();
  if (!kernel.ok())
    return -1;
  int blocks = -1;
  const CuResult result = gpu.driver().occupancy_blocks(
      &blocks, std::bit_cast<CuFunction>(static_cast<std::uintptr_t>(kernel->value)), threads,
      launch.dynamic_smem_bytes);
  EXPECT_EQ(result, kCuSuccess) << launch.entry;
  return result == kCuSuccess ? blocks : -1;
}

struct Tally {
  int kernels = 0, alike = 0;
};

void Compare(GpuFixture& gpu,
             const CompiledKernel& compiled,
             const LaunchPlan& plan,
             Tally& tally) {
  const auto module = gpu.device().Load(compiled.cubin);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  for (const KernelLaunch& launch : plan.launches) {
    const auto needs = BlockNeedsOf(compiled, launch);
    ASSERT_TRUE(needs.has_value()) << launch.entry;
    const int ours = ComputeOccupancy(gpu.device().Spec(), *needs).blocks_per_sm;
    const int drivers = DriversBlocks(gpu, **module, launch, needs->threads);
    EXPECT_EQ(ours, drivers) << launch.entry << ": " << needs->threads << " threads, "
                             << needs->registers_per_thread << " registers, " << needs->smem_bytes
                             << " bytes";
    ++tally.kernels;
    tally.alike += ours == drivers ? 1 : 0;
  }
}

class OccupancyOnGpu : public testing::TestWithParam<const char*> {};

// bench/counters reads what this prints.
TEST_P(OccupancyOnGpu, IsTheDrivers) {
  TW_REQUIRE_GPU(gpu);
  const auto problem = ParseShapeLine(std::string("shape ") + GetParam());
  ASSERT_TRUE(problem.ok()) << problem.status().ToString();
  const DeviceSpec& device = gpu.device().Spec();
  const std::vector<Candidate> sample = Sample(BuildSpace(*problem, device, {}, "").candidates);
  EXPECT_EQ(sample.size(), kSample);
  const std::vector<CompiledKernel> kernels = CompileAll(gpu, *problem, sample);
  Tally tally;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const KernelConfig& config = sample[i].config;
    Compare(gpu, kernels[i], FindFamily(config.family)->launch(*problem, device, config), tally);
  }
  std::printf("occupancy\t%s\t%d\t%d\n", GetParam(), tally.kernels, tally.alike);
}

// Rows of bench/shapes/public.csv.
INSTANTIATE_TEST_SUITE_P(Public,
                         OccupancyOnGpu,
                         testing::Values("2048 2048 2048 1 bf16 nt",
                                         "4096 4096 8192 1 bf16 tn",
                                         "16 6144 4096 1 bf16 nt",
                                         "256 256 65536 1 bf16 nt",
                                         "2048 2048 2047 1 bf16 nt",
                                         "1024 128 1024 64 f16 nn",
                                         "1021 1031 1009 1 f16 nn",
                                         "4096 7168 2048 1 e4m3 nt",
                                         "2048 2048 2048 1 tf32 nn",
                                         "2048 2048 2048 1 f32 nn",
                                         "2048 2048 2048 1 f64 nn",
                                         "4096 4096 4096 1 s8 nt"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace tw
