// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/timing.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include <gtest/gtest.h>

#include "judge_fixture.h"
#include "problems.h"
#include "tuner/measure/loaded_candidate.h"
#include "tuner/measure/statistics.h"

namespace tw {
namespace {

GemmProblem Small() {
  return Normalize(Product(16, 24, 32, {DType::kBf16, DType::kBf16, DType::kF32})).value();
}

TEST(LaunchesPerReplay, CoverAMillisecondInWholeTurns) {
  const ReplayLength options{.least_ns = 1e6};
  EXPECT_EQ(LaunchesPerReplay(100e3, 1, options), 10);
  EXPECT_EQ(LaunchesPerReplay(100e3, 4, options), 12);
  EXPECT_EQ(LaunchesPerReplay(3e3, 2000, options), 2000);
  EXPECT_EQ(LaunchesPerReplay(2e6, 1, options), 1);
  EXPECT_EQ(LaunchesPerReplay(0, 1, options), 8192);
}

TEST(LaunchesPerReplay, ASlowKernelDoesNotTakeAllCopies) {
  const ReplayLength options{.least_ns = 1e6, .most_ns = 50e6};
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

// A percent between two candidates.
constexpr char kRules[] = R"("rules": [{"match": "fast", "behaviour": "ok", "time_ns": 40000},
                                       {"match": "slow", "behaviour": "ok", "time_ns": 40400}])";

std::string Percent(const std::string& disturbances) {
  return std::string("{").append(kRules).append(", \"disturbances\": [").append(disturbances) +
         "]}";
}

// Another process that computes five of every ten seconds, in slices of the device.
constexpr char kLoad[] =
    R"({"for_s": 5, "every_s": 10, "factor": 1.5, "wait_us": 1700, "compute_processes": 2})";

TEST(Timing, ALoadedDeviceIsWaitedFor) {
  JudgedJob loaded(Small(), Percent(kLoad));
  const BenchmarkOutcome outcome = loaded.Run("fast");
  EXPECT_EQ(outcome.kind, OutcomeKind::kMeasured);
  EXPECT_NEAR(outcome.measurement->median_ns, 40000, 40);
  EXPECT_GT(outcome.measurement->discarded, 0);
}

TEST(Timing, ADeviceThatIsNeverQuietDisturbs) {
  JudgedJob loaded(Small(), R"({"disturbances": [{"wait_us": 1700, "compute_processes": 0}]})");
  EXPECT_EQ(loaded.Run("kernel").kind, OutcomeKind::kDisturbed);
  EXPECT_EQ(loaded.Run("kernel").rule, "other_load");
}

TEST(Timing, ADelayByTheHostIsNoLoad) {
  JudgedJob job(Small(), R"({"disturbances": [{"wait_us": 1700, "compute_processes": 1}]})");
  EXPECT_EQ(job.Run("kernel").kind, OutcomeKind::kMeasured);
}

// The product of empty matrices, which the fake need not compute.
class NoOperands final : public Operands {
 public:
  NoOperands() { problem_.m = problem_.n = 0; }

  [[nodiscard]] std::int64_t copies() const override { return 1; }

  [[nodiscard]] GemmParams Params(std::int64_t /*copy*/, DeviceAddress) const override {
    return ParamsOf(problem_);
  }

 private:
  GemmProblem problem_ = Small();
};

// Candidates "slow" and "fast" in turns on a device with a script.
Result<InterleavedTimes> CompareOn(const std::string& script, const CompareOptions& options) {
  FakeDevice device(ParseFakeScript(script).value());
  device.SetProblem(Normalize(Product(1 << 12, 1 << 12, 1 << 12, kTypeSets[0])).value());
  const auto slow = LoadedCandidate::Load(device, JudgedJob::Candidate("slow"));
  const auto fast = LoadedCandidate::Load(device, JudgedJob::Candidate("fast"));
  const fakes::ManualClock clock;
  const NoOperands operands;
  TimingRig rig(device, clock, operands, {});
  return rig.Compare(std::vector<const Contestant*>{&*slow, &*fast}, options);
}

// Passes its workspace on, besides.
class WorkspaceOnly final : public Operands {
 public:
  [[nodiscard]] std::int64_t copies() const override { return 1; }

  [[nodiscard]] GemmParams Params(std::int64_t copy, DeviceAddress workspace) const override {
    GemmParams params = none_.Params(copy, workspace);
    params.workspace = DevicePointer<void>(workspace);
    return params;
  }

 private:
  NoOperands none_;
};

// Looks at its workspace when it is launched, and spoils all that it may.
class Tenant final : public Contestant {
 public:
  Tenant(Device& device, std::int64_t bytes, std::int64_t zero_bytes)
      : candidate_(LoadedCandidate::Load(device, JudgedJob::Candidate("tenant")).value()),
        bytes_(bytes),
        zero_bytes_(zero_bytes) {}

  Status Launch(const GemmParams& params) const override {
    auto* const workspace = static_cast<std::byte*>(params.workspace);
    for (std::int64_t i = 0; i < zero_bytes_; ++i)
      saw_zeros_ = saw_zeros_ && workspace[i] == std::byte{0};
    std::fill(workspace + zero_bytes_, workspace + bytes_, std::byte{0xee});
    ++launches_;
    return candidate_.Launch(params);
  }

  [[nodiscard]] std::int64_t workspace_bytes() const override { return bytes_; }

  [[nodiscard]] std::int64_t workspace_zero_bytes() const override { return zero_bytes_; }

  [[nodiscard]] bool SawZeros() const { return launches_ > 0 && saw_zeros_; }

 private:
  LoadedCandidate candidate_;
  std::int64_t bytes_;
  std::int64_t zero_bytes_;
  mutable bool saw_zeros_ = true;
  mutable int launches_ = 0;
};

TEST(Timing, WhoNeedsZerosFindsThemBesideOthersAndAfterThem) {
  FakeDevice device{FakeScript{}};
  device.SetProblem(Normalize(Product(1 << 12, 1 << 12, 1 << 12, kTypeSets[0])).value());
  const fakes::ManualClock clock;
  const WorkspaceOnly operands;
  TimingRig rig(device, clock, operands, {});
  const Tenant careless(device, 1000, 0);
  const Tenant other(device, 700, 0);
  const Tenant first(device, 300, 64);
  const Tenant second(device, 900, 300);
  const Tenant alone(device, 600, 500);
  ASSERT_TRUE(rig.Measure(careless).ok());
  ASSERT_TRUE(rig.Measure(alone).ok());  // in the place that the one before has used
  EXPECT_TRUE(alone.SawZeros());
  const std::vector<const Contestant*> turns{&careless, &first, &other, &second, &careless};
  ASSERT_TRUE(rig.Compare(turns, {}).ok());
  EXPECT_TRUE(first.SawZeros());
  EXPECT_TRUE(second.SawZeros());
}

class EveryRegime : public testing::TestWithParam<Regime> {};

INSTANTIATE_TEST_SUITE_P(Compare,
                         EveryRegime,
                         testing::Values(Regime::kHot, Regime::kCool, Regime::kAlone));

TEST_P(EveryRegime, FindsAPercent) {
  const auto times = CompareOn(Percent(""), {.regime = GetParam()});
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->disturbed, "");
  EXPECT_TRUE(times->discarded.empty());
  const RatioEstimate ratio = EstimateRatio(times->rounds_ns[0], times->rounds_ns[1]);
  EXPECT_NEAR(ratio.ratio, 1.01, 0.001);
  EXPECT_GE(ratio.pairs, 11);
  EXPECT_EQ(Judge(ratio), ComparisonVerdict::kFaster);
}

TEST_P(EveryRegime, FindsAPercentBesideALoad) {
  const auto times = CompareOn(Percent(kLoad), {.regime = GetParam()});
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->disturbed, "");
  EXPECT_GT(times->discarded.at("other_load"), 0);
  const RatioEstimate ratio = EstimateRatio(times->rounds_ns[0], times->rounds_ns[1]);
  EXPECT_EQ(Judge(ratio), ComparisonVerdict::kFaster);
  EXPECT_NEAR(Median(times->rounds_ns[1]), 40000, 40);
}

TEST(Compare, AClockStepIsDiscarded) {
  const auto times = CompareOn(R"({"time_ns": 100000, "disturbances": [
      {"from_s": 0.35, "for_s": 0.03, "factor": 1.15, "sm_clock_mhz": 1500}]})",
                               {.min_rounds = 31});
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->discarded.count("clock_step"), 1U);
  EXPECT_NEAR(Median(times->rounds_ns[0]), 100000, 100);
}

TEST(Compare, WaitingEnds) {
  const auto times = CompareOn(R"({"disturbances": [{"throttle_reasons": 64}]})", {});
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->disturbed, "throttled");
  EXPECT_FALSE(times->rounds_ns[0].empty());
}

TEST(Compare, AFailureIsPassedOn) {
  const char* const script = R"({"rules": [{"match": "fast", "behaviour": "launch_error"}]})";
  EXPECT_FALSE(CompareOn(script, {}).ok());
}

}  // namespace
}  // namespace tw
