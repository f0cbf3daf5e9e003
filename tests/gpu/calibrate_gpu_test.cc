// The calibration of a real GPU: plausible, and the same when it is repeated. Prints the figures.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>

#include <gtest/gtest.h>

#include "codegen/calibration_source.h"
#include "gpu_fixture.h"
#include "tuner/measure/calibrate.h"

namespace tw {
namespace {

constexpr double kMostSeconds = 2;

Calibration Measure(GpuFixture& gpu, const CompiledKernel& kernels) {
  const auto start = gpu.clock().Now();
  const auto found = MeasureCalibration(gpu.device(), kernels);
  const double seconds = std::chrono::duration<double>(gpu.clock().Now() - start).count();
  EXPECT_TRUE(found.ok()) << found.status().ToString();
  EXPECT_LT(seconds, kMostSeconds);
  if (!found.ok())
    return {};
  std::printf("%s: DRAM %.0f GB/s, L2 %.1f B/clock/SM, %.0f MHz, launch %.2f us, in %.2f s\n",
              gpu.device().Spec().name.c_str(), found->dram_bytes_per_s / 1e9,
              found->l2_bytes_per_clock_per_sm, found->sm_clock_hz / 1e6, found->launch_s * 1e6,
              seconds);
  return *found;
}

TEST(CalibrateGpu, IsPlausibleAndRepeatable) {
  TW_REQUIRE_GPU(gpu);
  const DeviceSpec& spec = gpu.device().Spec();
  const CompiledKernel kernels = gpu.Compile(BuildCalibrationSource(spec, TemplateStore()).value());
  const Calibration first = Measure(gpu, kernels);
  // After the first: the driver may keep what it loaded.
  const std::int64_t free_bytes = gpu.device().Memory().FreeBytes().value();
  const Calibration second = Measure(gpu, kernels);
  const Status plausible = CheckCalibration(spec, first);
  EXPECT_TRUE(plausible.ok()) << plausible.ToString();
  EXPECT_GE(gpu.device().Memory().FreeBytes().value(), free_bytes);
  // The L2 gives more than DRAM, all SMs together.
  EXPECT_GT(first.l2_bytes_per_clock_per_sm * spec.sm_count * first.sm_clock_hz,
            first.dram_bytes_per_s);
  constexpr double kWithin = 0.05;
  EXPECT_NEAR(second.dram_bytes_per_s / first.dram_bytes_per_s, 1, kWithin);
  EXPECT_NEAR(second.l2_bytes_per_clock_per_sm / first.l2_bytes_per_clock_per_sm, 1, kWithin);
  EXPECT_NEAR(second.sm_clock_hz / first.sm_clock_hz, 1, kWithin);
  EXPECT_NEAR(second.launch_s / first.launch_s, 1, 2 * kWithin);
}

}  // namespace
}  // namespace tw
