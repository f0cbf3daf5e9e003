// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/fake_calibration.h"

#include <algorithm>
#include <cstring>

#include "codegen/core/check.h"
#include "tw/calibrate/params.h"

namespace tw {
namespace {

constexpr double kNsPerS = 1e9;
constexpr double kStepClocks = 1000;  // of the products
constexpr double kVectorBytes = 16;

template <class Params>
Params ParamsOf(const KernelCall& call) {
  TW_CHECK(call.argument.size() == sizeof(Params));
  Params params;
  std::memcpy(&params, call.argument.data(), sizeof(Params));
  return params;
}

double BytesRead(const KernelCall& call) {
  const auto params = ParamsOf<CalibrateReadParams>(call);
  return static_cast<double>(params.loads) * call.grid[0] * call.block[0] * kVectorBytes;
}

}  // namespace

bool IsCalibrating(std::string_view entry) {
  return entry.starts_with("tw_calibrate_");
}

FakeCalibration::FakeCalibration(const DeviceSpec& spec, const FakeCalibrationScript& script)
    : sm_count_(spec.sm_count),
      dram_bytes_per_s_(script.dram_bytes_per_s.value_or(spec.dram_bytes_per_s)),
      l2_bytes_per_clock_per_sm_(
          script.l2_bytes_per_clock_per_sm.value_or(spec.l2_bytes_per_clock_per_sm)),
      sm_clock_hz_(script.sm_clock_hz.value_or(spec.sm_clock_hz)),
      launch_s_(script.launch_s.value_or(spec.launch_s)) {}

double FakeCalibration::TimeNs(const std::string& entry, const KernelCall& call) const {
  double seconds = launch_s_;
  if (entry == kCalibrateDram)
    seconds = BytesRead(call) / dram_bytes_per_s_;
  else if (entry == kCalibrateL2)
    seconds = BytesRead(call) / (l2_bytes_per_clock_per_sm_ * sm_count_ * sm_clock_hz_);
  else if (entry == kCalibrateMath)
    seconds =
        kStepClocks * static_cast<double>(ParamsOf<CalibrateMathParams>(call).steps) / sm_clock_hz_;
  return seconds * kNsPerS;
}

void FakeCalibration::Run(const std::string& entry, const KernelCall& call) const {
  if (entry == kCalibrateNothing)
    return;
  BlockTicks* ticks = entry == kCalibrateMath ? ParamsOf<CalibrateMathParams>(call).ticks
                                              : ParamsOf<CalibrateReadParams>(call).ticks;
  // Whole nanoseconds, of which there are some.
  const double ns = std::max(TimeNs(entry, call), 1.0);
  const BlockTicks block{static_cast<int64>(ns * sm_clock_hz_ / kNsPerS), static_cast<int64>(ns)};
  std::fill(ticks, ticks + call.grid[0], block);
}

}  // namespace tw
