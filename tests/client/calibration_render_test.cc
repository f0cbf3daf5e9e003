// SPDX-License-Identifier: Apache-2.0
#include "client/cli/calibration_render.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tw::cli {
namespace {

// Figures of no device.
v1::CalibrateDeviceResponse Answer() {
  v1::CalibrateDeviceResponse answer;
  answer.set_device_uuid("GPU-1");
  answer.set_device_name("A GPU");
  answer.set_driver_version(13000);
  answer.set_created_micros(7);
  answer.mutable_measured()->set_dram_bytes_per_s(3e12);
  answer.mutable_measured()->set_l2_bytes_per_clock_per_sm(31.5);
  answer.mutable_measured()->set_sm_clock_hz(1.5e9);
  answer.mutable_measured()->set_launch_s(2.5e-6);
  answer.mutable_table()->set_dram_bytes_per_s(4e12);
  answer.mutable_table()->set_l2_bytes_per_clock_per_sm(42);
  answer.mutable_table()->set_sm_clock_hz(1.5e9);
  answer.mutable_table()->set_launch_s(2e-6);
  return answer;
}

TEST(CalibrationText, PutsTheFiguresBesideTheTables) {
  EXPECT_EQ(CalibrationText(Answer()),
            "A GPU, GPU-1, driver 13.0\n"
            "FIGURE      MEASURED  TABLE  SHARE    UNIT\n"
            "DRAM, read  3000      4000   75.0 %   GB/s\n"
            "L2, read    31.5      42     75.0 %   B/clock/SM\n"
            "SM clock    1500      1500   100.0 %  MHz\n"
            "launch      2.5       2      125.0 %  us\n"
            "stored; tunes on this GPU go by it\n");
}

TEST(CalibrationJson, HasPlainUnitsAndShares) {
  const auto json = nlohmann::json::parse(CalibrationJson(Answer()));
  EXPECT_EQ(json["schema"], "tilewright.calibrate.v1");
  EXPECT_EQ(json["device"]["uuid"], "GPU-1");
  EXPECT_EQ(json["device"]["driver_version"], 13000);
  EXPECT_EQ(json["created_micros"], 7);
  EXPECT_EQ(json["figures"].size(), 4U);
  EXPECT_EQ(json["figures"]["dram_bytes_per_s"]["measured"], 3e12);
  EXPECT_EQ(json["figures"]["dram_bytes_per_s"]["table"], 4e12);
  EXPECT_EQ(json["figures"]["dram_bytes_per_s"]["share"], 0.75);
  EXPECT_DOUBLE_EQ(json["figures"]["launch_s"]["share"].get<double>(), 1.25);
}

TEST(CalibrationJson, WithoutATableThereIsNoShare) {
  v1::CalibrateDeviceResponse answer = Answer();
  answer.mutable_table()->clear_sm_clock_hz();
  EXPECT_TRUE(
      nlohmann::json::parse(CalibrationJson(answer))["figures"]["sm_clock_hz"]["share"].is_null());
  EXPECT_NE(CalibrationText(answer).find("SM clock    1500      0      -"), std::string::npos);
}

}  // namespace
}  // namespace tw::cli
