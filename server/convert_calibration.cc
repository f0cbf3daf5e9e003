// SPDX-License-Identifier: Apache-2.0
#include "server/convert.h"

namespace tw {
namespace {

void FiguresToProto(const Calibration& calibration, v1::Calibration* proto) {
  proto->set_dram_bytes_per_s(calibration.dram_bytes_per_s);
  proto->set_l2_bytes_per_clock_per_sm(calibration.l2_bytes_per_clock_per_sm);
  proto->set_sm_clock_hz(calibration.sm_clock_hz);
  proto->set_launch_s(calibration.launch_s);
}

}  // namespace

void ToProto(const CalibratedDevice& device, v1::CalibrateDeviceResponse* proto) {
  proto->set_device_uuid(device.device.uuid);
  proto->set_device_name(device.device.name);
  proto->set_driver_version(device.device.driver_version);
  FiguresToProto(device.measured, proto->mutable_measured());
  FiguresToProto(TableValues(device.device), proto->mutable_table());
  proto->set_created_micros(device.measured.created_micros);
}

}  // namespace tw
