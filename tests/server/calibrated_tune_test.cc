// SPDX-License-Identifier: Apache-2.0
#include "server/calibrated_tune.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fakes/fake_benchmarker.h"
#include "tests/fakes/fake_compiler.h"
#include "tests/fakes/manual_clock.h"
#include "tuner/store/memory_store.h"

namespace tw {
namespace {

DeviceSpec Gpu() {
  DeviceSpec device = *ReferenceDevice("sm_90a");
  device.uuid = "GPU-1";
  device.driver_version = 13000;
  return device;
}

class CalibratedTune : public testing::Test {
 protected:
  CalibratedTune() {
    benchmarker_.calibrate = [](const std::string&) {
      Calibration found = TableValues(Gpu());
      found.dram_bytes_per_s = 3.5e12;
      return Result<Calibration>(found);
    };
  }

  Result<TuneResult> Tune(const DeviceSpec& device, const std::stop_token& stop = {}) {
    TuneSpec spec;
    spec.device = device;
    const TuneFunction tune = CalibrateFirst(
        [this](const TuneSpec& given, const auto&, const std::stop_token&) {
          tuned_.push_back(given.device);
          return Result<TuneResult>(TuneResult());
        },
        calibrator_, devices_,
        [this](const std::string& uuid, const Status& status) {
          trouble_.push_back(uuid + " " + status.ToString());
        });
    return tune(
        spec, [](const TuneProgress&) {}, stop);
  }

  TemplateStore templates_;
  fakes::FakeCompiler compiler_;
  fakes::FakeBenchmarker benchmarker_{{Gpu()}};
  MemoryStore store_;
  fakes::ManualClock clock_;
  Calibrator calibrator_{{templates_, compiler_, benchmarker_, store_, clock_}};
  DeviceInventory devices_{[] {
                             return DiscoveredDevices{{Gpu()}, ""};
                           },
                           [this](const DeviceSpec& device) { return calibrator_.Apply(device); }};
  std::vector<DeviceSpec> tuned_;
  std::vector<std::string> trouble_;
};

// The job was admitted before anything was known of its device.
TEST_F(CalibratedTune, TheFirstTuneGoesByWhatWasJustMeasured) {
  ASSERT_EQ(devices_.Resolve("GPU-1", "")->dram_bytes_per_s, Gpu().dram_bytes_per_s);
  ASSERT_TRUE(Tune(Gpu()).ok());
  ASSERT_EQ(tuned_.size(), 1U);
  EXPECT_EQ(tuned_[0].dram_bytes_per_s, 3.5e12);
  EXPECT_EQ(*devices_.Resolve("GPU-1", ""), tuned_[0]) << "an explanation sees the same device";
  EXPECT_EQ(*devices_.Resolve("", "sm_90"), tuned_[0]);
  EXPECT_EQ(devices_.List()->devices.front().spec, Gpu()) << "the list is what was discovered";
  EXPECT_EQ(DeviceClass(tuned_[0]), DeviceClass(Gpu()));
}

// What the next job is given is calibrated already: that must not count as the table's.
TEST_F(CalibratedTune, ASecondTuneMeasuresNothing) {
  ASSERT_TRUE(Tune(Gpu()).ok());
  ASSERT_TRUE(Tune(*devices_.Resolve("GPU-1", "")).ok());
  EXPECT_EQ(benchmarker_.calibrated.size(), 1U);
  EXPECT_EQ(tuned_[1], tuned_[0]);
  EXPECT_TRUE(trouble_.empty());
}

TEST_F(CalibratedTune, AFailingCalibrationNeverFailsATune) {
  benchmarker_.calibrate = [](const std::string&) {
    return Result<Calibration>(Status(StatusCode::kUnavailable, "the worker died"));
  };
  ASSERT_TRUE(Tune(Gpu()).ok());
  ASSERT_TRUE(Tune(Gpu()).ok());
  EXPECT_EQ(tuned_, (std::vector<DeviceSpec>{Gpu(), Gpu()})) << "by the table's values";
  EXPECT_EQ(trouble_, (std::vector<std::string>{"GPU-1 ABORTED: the worker died"})) << "said once";
}

TEST_F(CalibratedTune, WithoutAGpuThereIsNothingToCalibrate) {
  ASSERT_TRUE(Tune(*ReferenceDevice("sm_80")).ok());
  EXPECT_TRUE(benchmarker_.calibrated.empty());
  EXPECT_TRUE(trouble_.empty());
  EXPECT_EQ(tuned_[0], *ReferenceDevice("sm_80"));
}

TEST_F(CalibratedTune, AStoppedJobIsNoTrouble) {
  std::stop_source stop;
  stop.request_stop();
  ASSERT_TRUE(Tune(Gpu(), stop.get_token()).ok()) << "what stopping means is the tune's to say";
  EXPECT_TRUE(trouble_.empty());
}

}  // namespace
}  // namespace tw
