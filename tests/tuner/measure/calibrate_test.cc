// The arithmetic of a calibration, on a device whose figures are known.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/calibrate.h"

#include <string>

#include <gtest/gtest.h>

#include "tuner/device/fake_device.h"

namespace tw {
namespace {

Result<Calibration> Measure(const std::string& script) {
  FakeDevice device(ParseFakeScript(script).value());
  return MeasureCalibration(device, {});
}

TEST(MeasureCalibration, FindsTheFourFiguresOfTheDevice) {
  const auto found = Measure(R"({"calibration": {"dram_bytes_per_s": 3.9e12,
      "l2_bytes_per_clock_per_sm": 31.25, "sm_clock_hz": 1.62e9, "launch_s": 1.3e-6}})");
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  // The simulated times are up to 0.05 % too long.
  constexpr double kWithin = 1e-3;
  EXPECT_NEAR(found->dram_bytes_per_s / 3.9e12, 1, kWithin);
  EXPECT_NEAR(found->l2_bytes_per_clock_per_sm / 31.25, 1, kWithin);
  EXPECT_NEAR(found->sm_clock_hz / 1.62e9, 1, kWithin);
  EXPECT_NEAR(found->launch_s / 1.3e-6, 1, kWithin);
  EXPECT_EQ(found->device_uuid, FakeDeviceSpec().uuid);
  EXPECT_EQ(found->driver_version, FakeDeviceSpec().driver_version);
  EXPECT_TRUE(CheckCalibration(FakeDeviceSpec(), *found).ok());
}

// Two figures are measured through a third: none may leak into another.
TEST(MeasureCalibration, TheFiguresAreIndependent) {
  const auto fast = Measure(R"({"calibration": {"sm_clock_hz": 2.5e9}})");
  const auto slow = Measure(R"({"calibration": {"sm_clock_hz": 1.2e9}})");
  ASSERT_TRUE(fast.ok() && slow.ok());
  constexpr double kWithin = 1e-3;
  EXPECT_NEAR(fast->sm_clock_hz / slow->sm_clock_hz, 2.5 / 1.2, kWithin);
  EXPECT_NEAR(fast->l2_bytes_per_clock_per_sm / slow->l2_bytes_per_clock_per_sm, 1, kWithin);
  EXPECT_NEAR(fast->dram_bytes_per_s / slow->dram_bytes_per_s, 1, kWithin);
  EXPECT_NEAR(fast->launch_s / slow->launch_s, 1, kWithin);
}

TEST(MeasureCalibration, ScatteredRepeatsAreNoCalibration) {
  // Half of the replays of a millisecond take twice as long.
  const auto found = Measure(R"({"disturbances": [
      {"from_s": 0, "for_s": 0.002, "every_s": 0.004, "factor": 2}]})");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.status().code(), StatusCode::kAborted) << found.status().ToString();
  EXPECT_NE(found.status().message().find("scatter"), std::string::npos);
}

TEST(MeasureCalibration, AFaultOfTheDeviceIsItsStatus) {
  FakeDevice device(ParseFakeScript(R"({"calibration": {"behaviour": "sticky"}})").value());
  EXPECT_EQ(MeasureCalibration(device, {}).status().code(), StatusCode::kDataLoss);
  EXPECT_NE(device.sticky_error(), 0);
  EXPECT_EQ(Measure(R"({"calibration": {"behaviour": "launch_error"}})").status().code(),
            StatusCode::kInternal);
}

TEST(MeasureCalibration, GivesBackWhatItAllocated) {
  FakeDevice device(ParseFakeScript("").value());
  const std::int64_t before = device.Memory().FreeBytes().value();
  ASSERT_TRUE(MeasureCalibration(device, {}).ok());
  EXPECT_EQ(device.Memory().FreeBytes().value(), before);
}

TEST(ClockHz, IsTheMedianOverBlocksThatHaveATime) {
  const BlockTicks ticks[] = {{3000, 2000}, {1700, 1000}, {0, 0}, {0, 500}, {9000, 3000}};
  EXPECT_DOUBLE_EQ(ClockHz(ticks), 1.7e9);
  EXPECT_EQ(ClockHz({}), 0);
}

TEST(DramBufferBytes, ExceedsTheL2ByFarOrIsRefused) {
  constexpr std::int64_t kMiB = 1 << 20;
  EXPECT_EQ(*DramBufferBytes(60 * kMiB, 100'000 * kMiB), 960 * kMiB);
  EXPECT_EQ(*DramBufferBytes(60 * kMiB, 1'000 * kMiB), 500 * kMiB);
  EXPECT_EQ(*DramBufferBytes(0, 1'000 * kMiB), 64 * kMiB) << "an unknown L2 counts as 4 MiB";
  const Status small = DramBufferBytes(60 * kMiB, 479 * kMiB).status();
  EXPECT_EQ(small.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(small.message().find("4 times the L2, 251658240 bytes"), std::string::npos)
      << small.message();
}

}  // namespace
}  // namespace tw
