// The calibrating kernels (templates/tw/calibrate) on a device that has what a script says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "codegen/core/device_spec.h"
#include "tuner/device/device.h"
#include "tuner/device/fake_script.h"

namespace tw {

// Whether a kernel of that name calibrates.
bool IsCalibrating(std::string_view entry);

class FakeCalibration {
 public:
  // What the script leaves out is as `spec` says.
  FakeCalibration(const DeviceSpec& spec, const FakeCalibrationScript& script);

  // Of one launch.
  [[nodiscard]] double TimeNs(const std::string& entry, const KernelCall& call) const;

  // Writes the blocks' ticks. Requires: the call's pointers to ticks are host addresses.
  void Run(const std::string& entry, const KernelCall& call) const;

 private:
  int sm_count_;
  double dram_bytes_per_s_, l2_bytes_per_clock_per_sm_, sm_clock_hz_, launch_s_;
};

}  // namespace tw
