// The contract of CalibrationStore, on every implementation.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/store/calibration_store.h"

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/fakes/temp_dir.h"
#include "tests/tuner/store/samples.h"
#include "tuner/store/json_calibration.h"
#include "tuner/store/memory_store.h"
#include "tuner/store/sqlite_store.h"

namespace tw {
namespace {

struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<CalibrationStore>(const std::filesystem::path&)> make;
};

class CalibrationStoreContract : public testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override { store_ = GetParam().make(dir_.path()); }

  fakes::TempDir dir_;
  std::unique_ptr<CalibrationStore> store_;
};

TEST_P(CalibrationStoreContract, FindsByDeviceAndDriver) {
  EXPECT_FALSE(store_->FindCalibration("GPU-1234", 13000));
  Calibration newer = SampleCalibration();
  newer.driver_version = 13010;
  newer.launch_s = 1e-6;
  ASSERT_TRUE(store_->PutCalibration(SampleCalibration()).ok());
  ASSERT_TRUE(store_->PutCalibration(newer).ok());
  ASSERT_TRUE(store_->PutCalibration(SampleCalibration("GPU-other")).ok());
  EXPECT_EQ(store_->FindCalibration("GPU-1234", 13000), SampleCalibration());
  EXPECT_EQ(store_->FindCalibration("GPU-1234", 13010), newer);
  EXPECT_EQ(store_->FindCalibration("GPU-other", 13000), SampleCalibration("GPU-other"));
  EXPECT_FALSE(store_->FindCalibration("GPU-1234", 12080));
  EXPECT_FALSE(store_->FindCalibration("", 13000));
}

TEST_P(CalibrationStoreContract, ALaterOneReplacesTheEarlier) {
  Calibration later = SampleCalibration();
  later.sm_clock_hz = 1.5e9;
  ASSERT_TRUE(store_->PutCalibration(SampleCalibration()).ok());
  ASSERT_TRUE(store_->PutCalibration(later).ok());
  EXPECT_EQ(store_->FindCalibration("GPU-1234", 13000), later);
}

INSTANTIATE_TEST_SUITE_P(
    Stores,
    CalibrationStoreContract,
    testing::Values(StoreKind{"Memory",
                              [](const std::filesystem::path&) {
                                return std::unique_ptr<CalibrationStore>(
                                    std::make_unique<MemoryStore>());
                              }},
                    StoreKind{"Sqlite",
                              [](const std::filesystem::path& directory) {
                                return std::unique_ptr<CalibrationStore>(
                                    SqliteStore::Open(directory / "store.db").value());
                              }}),
    [](const testing::TestParamInfo<StoreKind>& kind) { return kind.param.name; });

TEST(JsonCalibration, RoundTripsExactlyAndRefusesWhatIsNone) {
  Calibration calibration = SampleCalibration();
  calibration.launch_s = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(DecodeCalibration(EncodeCalibration(calibration)).value(), calibration);
  for (const char* text : {"", "{", "{}", "[]", R"({"device_uuid": 7})"})
    EXPECT_EQ(DecodeCalibration(text).status().code(), StatusCode::kDataLoss) << text;
}

}  // namespace
}  // namespace tw
