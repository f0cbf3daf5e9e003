// What was measured of one GPU under one driver, in place of the table's values in its DeviceSpec.
// Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "codegen/core/device_spec.h"
#include "codegen/core/status.h"

namespace tw {

// Strings have initialisers so that designated ones may leave them out.
struct Calibration {
  std::string device_uuid{};             // "GPU-…"
  int driver_version = 0;                // CUDA driver API version, 13000
  double dram_bytes_per_s = 0;           // read by all SMs
  double l2_bytes_per_clock_per_sm = 0;  // read by all SMs at once, bytes per SM clock for each
  double sm_clock_hz = 0;                // under a matrix load, once warm
  double launch_s = 0;                   // one empty kernel in a graph of many, seconds
  std::int64_t created_micros = 0;       // since the Unix epoch

  friend bool operator==(const Calibration&, const Calibration&) = default;
};

// A measured value may be this much larger or smaller than the table's. Further off, either the
// measurement or the table is wrong, and who cannot tell keeps to what the search was built on.
inline constexpr double kMostCalibrationFactor = 3;

// `device` as the table or the probe has it. FailedPrecondition: measured on another device or
// under another driver. OutOfRange: "FIELD = VALUE: RULE" of the first value that would be put in
// effect and is not plausible.
Status CheckCalibration(const DeviceSpec& device, const Calibration& calibration);

// `device` with the measured bandwidth of DRAM in effect; the others are shown beside the table's
// and change nothing yet (calibration.cc). Statuses as CheckCalibration.
Result<DeviceSpec> Calibrated(DeviceSpec device, const Calibration& calibration);

// The device's own values in the form of a calibration: what a measured one stands beside.
Calibration TableValues(const DeviceSpec& device);

}  // namespace tw
