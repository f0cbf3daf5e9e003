// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/calibration.h"

#include <array>
#include <cmath>
#include <sstream>
#include <utility>

namespace tw {
namespace {

// A figure of the calibration and where it goes. Not in effect, and checked by nobody, are those
// whose table value was fitted to whole products on an H200: it stands for more than the kernel
// here measures, and can only be scaled by what such a kernel gives on the device it was fitted on,
// which is not known yet. Of the clock: mma.sync draws less power than wgmma, whose products run at
// 1.36 GHz there where those of mma.sync run at 1.9.
struct Figure {
  const char* field;
  const char* unit;
  double Calibration::*measured;
  double DeviceSpec::*table;
  bool in_effect;
};

constexpr std::array<Figure, 4> kFigures{{
    {"dram_bytes_per_s", "bytes/s", &Calibration::dram_bytes_per_s, &DeviceSpec::dram_bytes_per_s,
     true},
    {"l2_bytes_per_clock_per_sm", "bytes/clock", &Calibration::l2_bytes_per_clock_per_sm,
     &DeviceSpec::l2_bytes_per_clock_per_sm, false},
    {"sm_clock_hz", "Hz", &Calibration::sm_clock_hz, &DeviceSpec::sm_clock_hz, false},
    {"launch_s", "s", &Calibration::launch_s, &DeviceSpec::launch_s, false},
}};

std::string NumberText(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

Status CheckFigure(const Figure& figure, double measured, double table) {
  const bool plausible = std::isfinite(measured) && measured * kMostCalibrationFactor >= table &&
                         measured <= table * kMostCalibrationFactor;
  if (plausible)
    return OkStatus();
  std::string message = figure.field;
  message.append(" = ").append(NumberText(measured)).append(": must lie within a factor of ");
  message.append(NumberText(kMostCalibrationFactor)).append(" of the table's ");
  message.append(NumberText(table)).append(" ").append(figure.unit);
  return {StatusCode::kOutOfRange, std::move(message), figure.field};
}

}  // namespace

Status CheckCalibration(const DeviceSpec& device, const Calibration& calibration) {
  if (calibration.device_uuid != device.uuid) {
    return {StatusCode::kFailedPrecondition,
            "device_uuid = " + calibration.device_uuid + ": must be the device's, " + device.uuid,
            "device_uuid"};
  }
  if (calibration.driver_version != device.driver_version) {
    return {StatusCode::kFailedPrecondition,
            "driver_version = " + std::to_string(calibration.driver_version) +
                ": must be the device's, " + std::to_string(device.driver_version),
            "driver_version"};
  }
  for (const Figure& figure : kFigures) {
    if (figure.in_effect)
      TW_RETURN_IF_ERROR(CheckFigure(figure, calibration.*figure.measured, device.*figure.table));
  }
  return OkStatus();
}

Result<DeviceSpec> Calibrated(DeviceSpec device, const Calibration& calibration) {
  TW_RETURN_IF_ERROR(CheckCalibration(device, calibration));
  for (const Figure& figure : kFigures) {
    if (figure.in_effect)
      device.*figure.table = calibration.*figure.measured;
  }
  return device;
}

Calibration TableValues(const DeviceSpec& device) {
  Calibration values{.device_uuid = device.uuid, .driver_version = device.driver_version};
  for (const Figure& figure : kFigures)
    values.*figure.measured = device.*figure.table;
  return values;
}

}  // namespace tw
