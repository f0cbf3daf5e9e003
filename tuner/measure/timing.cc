// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/timing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "codegen/core/check.h"
#include "tuner/device/nvml_api.h"
#include "tuner/measure/statistics.h"
#include "tuner/measure/stopping_rule.h"

namespace tw {
namespace {

constexpr double kNsPerS = 1e9;
constexpr double kReplayNs = 1e6;  // hides the events' own resolution and the launch of the graph
// Clocks fall to their sustained level within 150 ms of load and rise again when idle.
constexpr std::chrono::milliseconds kIdleLimit{200};
constexpr int kAttempts = 3;

Measurement Summarise(const std::vector<double>& samples) {
  Measurement m;
  m.samples_ns = WithoutOutliers(samples);
  m.discarded = static_cast<int>(samples.size() - m.samples_ns.size());
  m.median_ns = Median(m.samples_ns);
  const Interval interval = MedianInterval(m.samples_ns);
  m.ci_low_ns = interval.low;
  m.ci_high_ns = interval.high;
  m.min_ns = *std::min_element(m.samples_ns.begin(), m.samples_ns.end());
  return m;
}

Conditions Around(const Conditions& before, const Conditions& after) {
  Conditions c;
  c.sm_clock_mhz = (before.sm_clock_mhz + after.sm_clock_mhz) / 2;
  c.temperature_c = std::max(before.temperature_c, after.temperature_c);
  c.power_w = (before.power_w + after.power_w) / 2;
  c.power_limit_w = after.power_limit_w;
  c.throttle_reasons = before.throttle_reasons | after.throttle_reasons;
  return c;
}

bool IsThrottled(const Conditions& conditions) {
  return (conditions.throttle_reasons & kDisturbingThrottleReasons) != 0;
}

// Another process on the device, and samples that show it.
bool IsShared(const DeviceReading& reading, const Measurement& m) {
  constexpr double kNoisy = 0.1;
  return reading.compute_processes > 1 && m.ci_high_ns - m.ci_low_ns > kNoisy * m.median_ns;
}

}  // namespace

std::int64_t LaunchesPerReplay(double once_ns, std::int64_t copies, const MeasureOptions& options) {
  constexpr double kMostLaunches = 1 << 13;
  const double once = std::max(once_ns, 1.0);
  const double turns =
      std::ceil(std::min(kReplayNs / once, kMostLaunches) / static_cast<double>(copies));
  const double wanted = std::max(turns, 1.0) * static_cast<double>(copies);
  const double affordable =
      std::floor(kNsPerS * options.max_seconds / (std::max(options.min_samples, 1) * once));
  return static_cast<std::int64_t>(std::max(1.0, std::min(wanted, affordable)));
}

Result<Timed> TimingRig::Measure(const Contestant& candidate) {
  TW_RETURN_IF_ERROR(PrepareWorkspace(candidate.workspace_bytes()));
  TW_ASSIGN_OR_RETURN(Replay replay, Prepare(candidate));
  if (IsCold())
    TW_RETURN_IF_ERROR(WarmUp(replay));
  auto timed = Observe([&] { return SampleUntilSteady(replay); });
  last_busy_ = clock_.Now();
  return timed;
}

Result<InterleavedTimes> TimingRig::Compare(std::span<const Contestant* const> contestants,
                                            const CompareOptions& options) {
  std::size_t culprit = 0;
  return Interleave(contestants, options, culprit);
}

std::vector<Result<Timed>> TimingRig::MeasureInterleaved(
    std::span<const Contestant* const> candidates, int rounds) {
  std::vector<Result<Timed>> results;
  if (candidates.empty())
    return results;
  CompareOptions options;
  options.min_rounds = options.max_rounds = std::max(rounds, 1);
  std::size_t culprit = 0;
  const Result<InterleavedTimes> times = Interleave(candidates, options, culprit);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!times.ok()) {
      results.emplace_back(i == culprit ? times.status()
                                        : Status(StatusCode::kAborted, "another candidate failed"));
      continue;
    }
    Timed timed{Summarise(times->rounds_ns[i]), times->disturbed};
    timed.measurement.conditions = times->conditions;
    for (const auto& [reason, count] : times->discarded)
      timed.measurement.discarded += static_cast<int>(count);
    results.emplace_back(std::move(timed));
  }
  return results;
}

Result<InterleavedTimes> TimingRig::Interleave(std::span<const Contestant* const> contestants,
                                               const CompareOptions& options,
                                               std::size_t& culprit) {
  TW_CHECK(!contestants.empty());
  std::int64_t workspace = 0;
  for (const Contestant* contestant : contestants)
    workspace = std::max(workspace, contestant->workspace_bytes());
  TW_RETURN_IF_ERROR(PrepareWorkspace(workspace));
  const bool cold = IsCold();
  std::vector<Replay> replays;
  for (culprit = 0; culprit < contestants.size(); ++culprit) {
    TW_ASSIGN_OR_RETURN(Replay replay, Prepare(*contestants[culprit]));
    replays.push_back(std::move(replay));
  }
  for (culprit = 0; cold && culprit < replays.size(); ++culprit)
    TW_RETURN_IF_ERROR(WarmUp(replays[culprit]));
  InterleavedTimes times;
  times.rounds_ns.resize(contestants.size());
  const DeviceReading before = device_.ReadConditions();
  for (int round = 0; round < options.min_rounds; ++round) {
    for (std::size_t i : TurnOrder(round, contestants.size())) {
      culprit = i;
      TW_ASSIGN_OR_RETURN(double sample, SampleOnce(replays[i]));
      times.rounds_ns[i].push_back(sample);
    }
  }
  const DeviceReading after = device_.ReadConditions();
  last_busy_ = clock_.Now();
  times.conditions = Around(before.conditions, after.conditions);
  if (IsThrottled(times.conditions))
    times.disturbed = "throttled";
  return times;
}

Status TimingRig::PrepareWorkspace(std::int64_t bytes) {
  if (bytes <= workspace_.bytes())
    return OkStatus();
  workspace_ = DeviceBuffer();
  TW_ASSIGN_OR_RETURN(workspace_, DeviceBuffer::Allocate(device_.Memory(), bytes));
  return OkStatus();
}

Result<TimingRig::Replay> TimingRig::Capture(const Contestant& candidate, std::int64_t launches) {
  auto enqueue = [&]() -> Status {
    for (std::int64_t i = 0; i < launches; ++i) {
      const std::int64_t copy = i % buffers_.copies();
      TW_RETURN_IF_ERROR(candidate.Launch(buffers_.Params(copy, workspace_.address())));
    }
    return OkStatus();
  };
  Replay replay;
  replay.launches = launches;
  TW_ASSIGN_OR_RETURN(replay.graph, device_.Capture(enqueue));
  // The first replay pays for the graph's upload.
  TW_RETURN_IF_ERROR(SampleOnce(replay).status());
  return replay;
}

Result<TimingRig::Replay> TimingRig::Prepare(const Contestant& candidate) {
  // The driver loads a kernel at its first launch, which a capture may not do.
  TW_RETURN_IF_ERROR(candidate.Launch(buffers_.Params(0, workspace_.address())));
  TW_RETURN_IF_ERROR(device_.Synchronize());
  TW_ASSIGN_OR_RETURN(Replay once, Capture(candidate, 1));
  TW_ASSIGN_OR_RETURN(double once_ns, SampleOnce(once));
  const std::int64_t launches = LaunchesPerReplay(once_ns, buffers_.copies(), options_);
  if (launches == 1)
    return once;
  return Capture(candidate, launches);
}

Status TimingRig::WarmUp(Replay& replay) {
  double elapsed_ns = 0;
  while (elapsed_ns < kNsPerS * options_.warmup_seconds) {
    TW_ASSIGN_OR_RETURN(double sample, SampleOnce(replay));
    // At least a nanosecond, so that a broken timer cannot hold the loop.
    elapsed_ns += std::max(1.0, sample) * static_cast<double>(replay.launches);
  }
  return OkStatus();
}

bool TimingRig::IsCold() const {
  return !last_busy_ || clock_.Now() - *last_busy_ > kIdleLimit;
}

Result<Timed> TimingRig::Observe(const std::function<Result<std::vector<double>>()>& sample) {
  Timed timed;
  int tainted = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const DeviceReading before = device_.ReadConditions();
    TW_ASSIGN_OR_RETURN(std::vector<double> samples, sample());
    const DeviceReading after = device_.ReadConditions();
    timed.measurement = Summarise(samples);
    timed.measurement.conditions = Around(before.conditions, after.conditions);
    timed.measurement.discarded += tainted;
    if (IsThrottled(timed.measurement.conditions)) {
      timed.disturbed = "throttled";
    } else if (IsShared(after, timed.measurement)) {
      timed.disturbed = "other_process";
    } else {
      timed.disturbed.clear();
      break;
    }
    tainted += static_cast<int>(samples.size());
  }
  return timed;
}

Result<std::vector<double>> TimingRig::SampleUntilSteady(Replay& replay) const {
  StoppingLimits limits;
  limits.min_samples = options_.min_samples;
  limits.max_samples = options_.max_samples;
  limits.max_ns = kNsPerS * options_.max_seconds;
  StoppingRule rule(limits);
  while (!rule.Finished()) {
    TW_ASSIGN_OR_RETURN(double sample, SampleOnce(replay));
    rule.Add(sample, sample * static_cast<double>(replay.launches));
  }
  return rule.samples();
}

Result<double> TimingRig::SampleOnce(Replay& replay) const {
  TW_ASSIGN_OR_RETURN(double elapsed_ns, replay.graph->RunTimedNs());
  return elapsed_ns / static_cast<double>(replay.launches);
}

}  // namespace tw
