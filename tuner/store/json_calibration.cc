// SPDX-License-Identifier: Apache-2.0
#include "tuner/store/json_calibration.h"

#include <exception>

#include "tuner/store/json_parts.h"

namespace tw {
namespace {

Calibration ToCalibration(const Json& json) {
  Calibration c;
  json.at("device_uuid").get_to(c.device_uuid);
  json.at("driver_version").get_to(c.driver_version);
  c.dram_bytes_per_s = ToDouble(json.at("dram_bytes_per_s"));
  c.l2_bytes_per_clock_per_sm = ToDouble(json.at("l2_bytes_per_clock_per_sm"));
  c.sm_clock_hz = ToDouble(json.at("sm_clock_hz"));
  c.launch_s = ToDouble(json.at("launch_s"));
  json.at("created_micros").get_to(c.created_micros);
  return c;
}

}  // namespace

std::string EncodeCalibration(const Calibration& c) {
  const Json json = {{"device_uuid", c.device_uuid},
                     {"driver_version", c.driver_version},
                     {"dram_bytes_per_s", FromDouble(c.dram_bytes_per_s)},
                     {"l2_bytes_per_clock_per_sm", FromDouble(c.l2_bytes_per_clock_per_sm)},
                     {"sm_clock_hz", FromDouble(c.sm_clock_hz)},
                     {"launch_s", FromDouble(c.launch_s)},
                     {"created_micros", c.created_micros}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Calibration> DecodeCalibration(std::string_view text) {
  try {
    return ToCalibration(Json::parse(text));
  } catch (const std::exception& e) {
    return Status(StatusCode::kDataLoss,
                  std::string("stored calibration cannot be read: ") + e.what());
  }
}

}  // namespace tw
