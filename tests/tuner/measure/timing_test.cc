// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/timing.h"

#include <chrono>

#include <gtest/gtest.h>

#include "judge_fixture.h"
#include "problems.h"

namespace tw {
namespace {

GemmProblem Small() {
  return Normalize(Product(16, 24, 32, {DType::kBf16, DType::kBf16, DType::kF32})).value();
}

TEST(LaunchesPerReplay, CoverAMillisecondInWholeTurns) {
  const MeasureOptions options;
  EXPECT_EQ(LaunchesPerReplay(100e3, 1, options), 10);
  EXPECT_EQ(LaunchesPerReplay(100e3, 4, options), 12);
  EXPECT_EQ(LaunchesPerReplay(3e3, 2000, options), 2000);
  EXPECT_EQ(LaunchesPerReplay(2e6, 1, options), 1);
  EXPECT_EQ(LaunchesPerReplay(0, 1, options), 8192);
}

TEST(LaunchesPerReplay, ASlowKernelDoesNotTakeAllCopies) {
  const MeasureOptions options{.min_samples = 5, .max_seconds = 0.25};
  EXPECT_EQ(LaunchesPerReplay(20e6, 8, options), 2);
  EXPECT_EQ(LaunchesPerReplay(1e9, 8, options), 1);
}

TEST(Timing, TheSameSeedsGiveTheSameTimes) {
  JudgedJob first(Small(), Always("noise"));
  JudgedJob second(Small(), Always("noise"));
  const BenchmarkOutcome x = first.Run("kernel");
  const BenchmarkOutcome y = second.Run("kernel");
  EXPECT_EQ(x.measurement->samples_ns, y.measurement->samples_ns);
}

TEST(Timing, QuietSamplesStopEarlyAndNoisyOnesGoOn) {
  BenchmarkJob options;
  options.options.min_samples = 9;
  options.options.objective = Objective::kWarm;
  JudgedJob quiet(Small(), "", options);
  JudgedJob noisy(Small(), Always("noise"), options);
  EXPECT_EQ(quiet.Run("kernel").measurement->samples_ns.size(), 9U);
  const Measurement m = *noisy.Run("kernel").measurement;
  EXPECT_EQ(static_cast<int>(m.samples_ns.size()) + m.discarded, options.options.max_samples);
  EXPECT_LT(m.ci_low_ns, m.median_ns);
  EXPECT_GT(m.ci_high_ns, m.median_ns);
  EXPECT_LE(m.min_ns, m.ci_low_ns);
}

TEST(Timing, ConditionsAreRecorded) {
  JudgedJob job(Small(), "");
  const Conditions conditions = job.Run("kernel").measurement->conditions;
  EXPECT_EQ(conditions.sm_clock_mhz, 1755);
  EXPECT_EQ(conditions.power_limit_w, 700);
}

TEST(Timing, AThrottledDeviceDisturbs) {
  JudgedJob job(Small(), "");
  DeviceReading reading;
  reading.conditions.throttle_reasons = 0x40;  // thermal
  job.device.SetReading(reading);
  const BenchmarkOutcome outcome = job.Run("kernel");
  EXPECT_EQ(outcome.kind, OutcomeKind::kDisturbed);
  EXPECT_EQ(outcome.rule, "throttled");
  EXPECT_GT(outcome.measurement->discarded, 0);
}

TEST(Timing, ThePowerCapIsNoDisturbance) {
  JudgedJob job(Small(), "");
  DeviceReading reading;
  reading.conditions.throttle_reasons = 0x04;
  job.device.SetReading(reading);
  EXPECT_EQ(job.Run("kernel").kind, OutcomeKind::kMeasured);
}

TEST(Timing, AnotherProcessDisturbsOnlyWhereSamplesScatter) {
  DeviceReading reading;
  reading.compute_processes = 2;
  JudgedJob quiet(Small(), "");
  quiet.device.SetReading(reading);
  EXPECT_EQ(quiet.Run("kernel").kind, OutcomeKind::kMeasured);
  BenchmarkJob few;
  few.options.max_samples = few.options.min_samples = 5;
  JudgedJob noisy(Small(), Always("noise"), few);
  noisy.device.SetReading(reading);
  EXPECT_EQ(noisy.Run("kernel").rule, "other_process");
}

}  // namespace
}  // namespace tw
