// SPDX-License-Identifier: Apache-2.0
#include "tuner/calibrator.h"

#include <atomic>
#include <latch>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/fakes/fake_benchmarker.h"
#include "tests/fakes/fake_compiler.h"
#include "tests/fakes/manual_clock.h"
#include "tuner/store/memory_store.h"

namespace tw {
namespace {

constexpr const char* kUuid = "GPU-fake";

DeviceSpec Gpu() {
  DeviceSpec device = *ReferenceDevice("sm_90a");
  device.uuid = kUuid;
  device.driver_version = 13000;
  return device;
}

// Less bandwidth than the table's, the rest as the table has it.
Calibration Found() {
  Calibration found = TableValues(Gpu());
  found.dram_bytes_per_s = 3.5e12;
  return found;
}

class CalibratorTest : public testing::Test {
 protected:
  CalibratorTest() {
    benchmarker_.calibrate = [](const std::string&) { return Result<Calibration>(Found()); };
  }

  void FailWith(const Status& status) {
    benchmarker_.calibrate = [status](const std::string&) { return Result<Calibration>(status); };
  }

  [[nodiscard]] std::size_t Times() const { return benchmarker_.calibrated.size(); }

  TemplateStore templates_;
  fakes::FakeCompiler compiler_;
  fakes::FakeBenchmarker benchmarker_{{Gpu()}};
  MemoryStore store_;
  fakes::ManualClock clock_;
  Calibrator calibrator_{{templates_, compiler_, benchmarker_, store_, clock_}};
};

TEST_F(CalibratorTest, MeasuresADeviceOnceAndPutsItInEffect) {
  EXPECT_EQ(calibrator_.Apply(Gpu()), Gpu()) << "nothing is known yet";
  EXPECT_TRUE(calibrator_.Ensure(kUuid, {}).ok());
  EXPECT_TRUE(calibrator_.Ensure(kUuid, {}).ok());
  EXPECT_EQ(Times(), 1U);
  EXPECT_EQ(compiler_.TimesAsked("tw_calibrate_math"), 1);
  const auto stored = store_.FindCalibration(kUuid, 13000);
  ASSERT_TRUE(stored.has_value());
  EXPECT_EQ(stored->created_micros, clock_.WallMicros());
  DeviceSpec expected = Gpu();
  expected.dram_bytes_per_s = 3.5e12;
  EXPECT_EQ(calibrator_.Apply(Gpu()), expected);
}

TEST_F(CalibratorTest, AnotherDriverIsMeasuredAnew) {
  ASSERT_TRUE(calibrator_.Ensure(kUuid, {}).ok());
  DeviceSpec newer = Gpu();
  newer.driver_version = 13010;
  EXPECT_EQ(calibrator_.Apply(newer), newer);
  fakes::FakeBenchmarker after({newer});
  after.calibrate = [&](const std::string&) { return Result<Calibration>(TableValues(newer)); };
  Calibrator calibrator({templates_, compiler_, after, store_, clock_});
  EXPECT_TRUE(calibrator.Ensure(kUuid, {}).ok());
  EXPECT_EQ(after.calibrated.size(), 1U);
}

TEST_F(CalibratorTest, MeasureMeasuresAlways) {
  ASSERT_TRUE(calibrator_.Ensure(kUuid, {}).ok());
  benchmarker_.calibrate = [](const std::string&) {
    Calibration found = Found();
    found.dram_bytes_per_s = 3e12;
    return Result<Calibration>(found);
  };
  const auto device = calibrator_.Measure(kUuid, {});
  ASSERT_TRUE(device.ok()) << device.status().ToString();
  EXPECT_EQ(device->measured.dram_bytes_per_s, 3e12);
  EXPECT_EQ(device->device, Gpu()) << "beside the table's values";
  EXPECT_EQ(calibrator_.Apply(Gpu()).dram_bytes_per_s, 3e12);
}

TEST_F(CalibratorTest, WhatIsNotPlausibleIsNeitherStoredNorInEffect) {
  benchmarker_.calibrate = [](const std::string&) {
    Calibration found = Found();
    found.dram_bytes_per_s = 1e11;
    return Result<Calibration>(found);
  };
  const Status status = calibrator_.Ensure(kUuid, {});
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  EXPECT_EQ(status.field(), "dram_bytes_per_s");
  EXPECT_EQ(status.message(),
            "dram_bytes_per_s = 1e+11: must lie within a factor of 3 of the table's 4.3e+12 "
            "bytes/s; nothing was stored");
  EXPECT_FALSE(store_.FindCalibration(kUuid, 13000));
  // Nor is one that an earlier version stored.
  Calibration odd = Found();
  odd.dram_bytes_per_s = 1e11;
  ASSERT_TRUE(store_.PutCalibration(odd).ok());
  EXPECT_EQ(calibrator_.Apply(Gpu()), Gpu());
}

TEST_F(CalibratorTest, AFailureIsSaidOnceAndTriedAgainLater) {
  FailWith({StatusCode::kUnavailable, "the worker died"});
  EXPECT_EQ(calibrator_.Ensure(kUuid, {}).code(), StatusCode::kAborted);
  EXPECT_TRUE(calibrator_.Ensure(kUuid, {}).ok()) << "not tried again at once";
  EXPECT_EQ(Times(), 1U);
  EXPECT_EQ(calibrator_.Measure(kUuid, {}).status().code(), StatusCode::kAborted)
      << "by command it is";
  EXPECT_EQ(Times(), 2U);
  clock_.Advance(Calibrator::kPatience);
  FailWith({StatusCode::kResourceExhausted, "no room"});
  EXPECT_EQ(calibrator_.Ensure(kUuid, {}).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(Times(), 3U);
}

TEST_F(CalibratorTest, ACancelledOneCountsAsNeverTried) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(calibrator_.Ensure(kUuid, stop.get_token()).code(), StatusCode::kCancelled);
  EXPECT_EQ(Times(), 0U);
  EXPECT_TRUE(calibrator_.Ensure(kUuid, {}).ok());
  EXPECT_EQ(Times(), 1U);
}

TEST_F(CalibratorTest, WithoutTheDeviceOrACompilerThereIsNone) {
  EXPECT_EQ(calibrator_.Ensure("GPU-other", {}).code(), StatusCode::kNotFound);
  compiler_.SetScript([](const KernelSource&) {
    return Result<CompiledKernel>(Status(StatusCode::kUnavailable, "no libnvrtc"));
  });
  EXPECT_EQ(calibrator_.Measure(kUuid, {}).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(Times(), 0U);
}

TEST_F(CalibratorTest, ReferenceDevicesAreLeftAlone) {
  EXPECT_EQ(calibrator_.Apply(*ReferenceDevice("sm_80")), *ReferenceDevice("sm_80"));
}

TEST_F(CalibratorTest, TwoAtOnceMeasureOnce) {
  std::latch measuring(1);
  std::latch go_on(1);
  benchmarker_.calibrate = [&](const std::string&) {
    measuring.count_down();
    go_on.wait();
    return Result<Calibration>(Found());
  };
  std::atomic<int> done = 0;
  const auto ensure = [&] {
    EXPECT_TRUE(calibrator_.Ensure(kUuid, {}).ok());
    ++done;
  };
  std::jthread first(ensure);
  measuring.wait();
  std::jthread second(ensure);
  // The second either waits for the first or has not begun: in no case is it done.
  EXPECT_EQ(done, 0);
  go_on.count_down();
  first.join();
  second.join();
  EXPECT_EQ(done, 2);
  EXPECT_EQ(Times(), 1U);
}

TEST_F(CalibratorTest, WhoWaitsForAnothersMeasurementCanBeStopped) {
  std::latch measuring(1);
  std::latch go_on(1);
  benchmarker_.calibrate = [&](const std::string&) {
    measuring.count_down();
    go_on.wait();
    return Result<Calibration>(Found());
  };
  std::jthread first([&] { EXPECT_TRUE(calibrator_.Ensure(kUuid, {}).ok()); });
  measuring.wait();
  std::stop_source stop;
  std::jthread second([&] {
    EXPECT_EQ(calibrator_.Measure(kUuid, stop.get_token()).status().code(), StatusCode::kCancelled);
  });
  stop.request_stop();
  second.join();
  go_on.count_down();
}

}  // namespace
}  // namespace tw
