// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/plausibility.h"

#include <algorithm>

namespace tw {
namespace {

constexpr double kMargin = 1.2;  // over rates that the device table gives as sustained
constexpr double kNsPerS = 1e9;

// Multiply-adds per clock and SM, by the fastest unit that may serve the type.
double FmaPerClock(const DeviceSpec& device, DType type) {
  switch (type) {
    case DType::kF64:
      return std::max(device.fma_f64, device.mma_f64);
    case DType::kF32:
      return device.fma_f32;
    case DType::kTf32:
      return std::max(device.fma_f32, device.mma_tf32);
    case DType::kF16:
    case DType::kBf16:
      return std::max(device.fma_f32, device.mma_f16);
    case DType::kE4m3:
    case DType::kE5m2:
      return std::max(device.mma_f16, device.mma_fp8);
    case DType::kS8:
    case DType::kS32:
      return std::max(device.fma_s8, device.mma_s8);
  }
  TW_CHECK(false);
}

}  // namespace

double ImpossiblyShortNs(const GemmProblem& problem,
                         const DeviceSpec& device,
                         std::int64_t copies) {
  double seconds = 0;
  const double fma_per_s =
      FmaPerClock(device, problem.a.type) * device.sm_count * device.sm_clock_hz;
  if (fma_per_s > 0 && problem.alpha != ScalarKind::kZero)
    seconds = Flops(problem) / 2 / fma_per_s;
  if (device.dram_bytes_per_s > 0) {
    const double kept = static_cast<double>(device.l2_bytes) / static_cast<double>(copies);
    const double bytes = std::max(MinimumBytes(problem) - kept, 0.0);
    seconds = std::max(seconds, bytes / device.dram_bytes_per_s);
  }
  return kNsPerS * seconds / kMargin;
}

}  // namespace tw
