// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/calibration.h"

#include <limits>

#include <gtest/gtest.h>

namespace tw {
namespace {

DeviceSpec Gpu() {
  DeviceSpec device = *ReferenceDevice("sm_90a");
  device.uuid = "GPU-1";
  device.driver_version = 13000;
  return device;
}

Calibration Sample() {
  return {.device_uuid = "GPU-1",
          .driver_version = 13000,
          .dram_bytes_per_s = 4.1e12,
          .l2_bytes_per_clock_per_sm = 30.5,
          .sm_clock_hz = 1.7e9,
          .launch_s = 1.25e-6,
          .created_micros = 7};
}

TEST(Calibration, PutsTheBandwidthInEffectAndNothingElse) {
  const Result<DeviceSpec> device = Calibrated(Gpu(), Sample());
  ASSERT_TRUE(device.ok()) << device.status().ToString();
  DeviceSpec expected = Gpu();
  expected.dram_bytes_per_s = 4.1e12;
  EXPECT_EQ(*device, expected);
  EXPECT_EQ(DeviceClass(*device), DeviceClass(Gpu())) << "the store's keys must not change";
}

TEST(Calibration, TheTablesOwnValuesChangeNothing) {
  EXPECT_EQ(*Calibrated(Gpu(), TableValues(Gpu())), Gpu());
}

TEST(Calibration, EveryTableRowHasTheModelsOldConstants) {
  for (const DeviceSpec& device : ReferenceDevices()) {
    EXPECT_EQ(device.l2_bytes_per_clock_per_sm, 42) << device.name;
    EXPECT_EQ(device.launch_s, 2e-6) << device.name;
  }
}

struct Field {
  const char* name;
  double Calibration::*value;
};

const Field kFields[] = {{"dram_bytes_per_s", &Calibration::dram_bytes_per_s}};

// They change nothing, so they are no reason to lose the others.
TEST(Calibration, WhatIsOnlyShownMayBeAnything) {
  Calibration odd = Sample();
  odd.l2_bytes_per_clock_per_sm = 0.1;
  odd.sm_clock_hz = 1e8;
  odd.launch_s = 1;
  EXPECT_EQ(*Calibrated(Gpu(), odd), *Calibrated(Gpu(), Sample()));
}

TEST(Calibration, RefusesWhatIsAFactorOfThreeOffAndNamesFieldValueAndRule) {
  for (const Field& field : kFields) {
    const double table = TableValues(Gpu()).*field.value;
    for (const double factor : {0.3, 3.1, 0.0, -1.0, std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()}) {
      Calibration off = Sample();
      off.*field.value = factor * table;
      const Status status = Calibrated(Gpu(), off).status();
      EXPECT_EQ(status.code(), StatusCode::kOutOfRange) << field.name << " " << factor;
      EXPECT_EQ(status.field(), field.name);
    }
    for (const double factor : {0.34, 1.0, 2.9}) {
      Calibration fine = Sample();
      fine.*field.value = factor * table;
      EXPECT_TRUE(Calibrated(Gpu(), fine).ok()) << field.name << " " << factor;
    }
  }
  Calibration off = Sample();
  off.dram_bytes_per_s = 1e11;
  EXPECT_EQ(Calibrated(Gpu(), off).status().message(),
            "dram_bytes_per_s = 1e+11: must lie within a factor of 3 of the table's 4.3e+12 "
            "bytes/s");
}

TEST(Calibration, RefusesAnotherDevicesAndAnotherDrivers) {
  Calibration other = Sample();
  other.device_uuid = "GPU-2";
  EXPECT_EQ(CheckCalibration(Gpu(), other).message(),
            "device_uuid = GPU-2: must be the device's, GPU-1");
  other = Sample();
  other.driver_version = 12080;
  EXPECT_EQ(CheckCalibration(Gpu(), other).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(CheckCalibration(Gpu(), other).field(), "driver_version");
}

}  // namespace
}  // namespace tw
