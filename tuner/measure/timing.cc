// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/timing.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "codegen/core/check.h"
#include "tuner/measure/memory_plan.h"
#include "tuner/measure/statistics.h"

namespace tw {
namespace {

constexpr double kNsPerS = 1e9;
// Clocks fall to their sustained level within 150 ms of load and rise again when idle.
constexpr std::chrono::milliseconds kIdleLimit{200};

Measurement Summarise(std::vector<double> samples) {
  Measurement m;
  m.samples_ns = std::move(samples);
  m.median_ns = Median(m.samples_ns);
  const Interval interval = MedianInterval(m.samples_ns);
  m.ci_low_ns = interval.low;
  m.ci_high_ns = interval.high;
  m.min_ns = *std::min_element(m.samples_ns.begin(), m.samples_ns.end());
  return m;
}

bool IsEnoughOfAll(const StoppingLimits& limits,
                   const std::vector<std::vector<double>>& series,
                   double elapsed_ns) {
  return !series.empty() && std::all_of(series.begin(), series.end(), [&](const auto& samples) {
    return IsEnough(limits, samples, elapsed_ns);
  });
}

std::string MostFrequent(const std::map<std::string, std::int64_t>& reasons) {
  TW_CHECK(!reasons.empty());
  return std::max_element(reasons.begin(), reasons.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

// A disturbed measurement still shows what it saw.
std::vector<std::size_t> ShownRounds(const Screening& screening, std::size_t all) {
  if (!screening.kept.empty())
    return screening.kept;
  std::vector<std::size_t> shown(all);
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  return shown;
}

InterleavedTimes TimesFrom(const std::vector<Round>& rounds, Screening screening) {
  InterleavedTimes times;
  times.conditions = ConditionsOf(rounds, screening.kept);
  times.rounds_ns.resize(rounds.front().times_ns.size());
  for (std::size_t r : ShownRounds(screening, rounds.size())) {
    for (std::size_t i = 0; i < times.rounds_ns.size(); ++i)
      times.rounds_ns[i].push_back(rounds[r].times_ns[i]);
  }
  times.discarded = std::move(screening.discarded);
  return times;
}

Timed TimedOf(const InterleavedTimes& times, std::size_t contestant) {
  Timed timed{Summarise(times.rounds_ns[contestant]), times.disturbed};
  timed.measurement.conditions = times.conditions;
  for (const auto& [reason, count] : times.discarded)
    timed.measurement.discarded += static_cast<int>(count);
  return timed;
}

}  // namespace

Result<Timed> TimingRig::Measure(const Contestant& candidate) {
  const ReplayLength length{
      .least_ns = 1e6,
      .most_ns = kNsPerS * options_.max_seconds / std::max(options_.min_samples, 1)};
  const Contestant* const alone[] = {&candidate};
  std::size_t culprit = 0;
  TW_ASSIGN_OR_RETURN(std::vector<Replay> replays, Prepare(alone, length, culprit));
  RoundSampler sampler(device_, std::move(replays), Regime::kHot);
  if (IsCold())
    TW_RETURN_IF_ERROR(sampler.WarmUp(options_.warmup_seconds));
  Limits limits;
  limits.stop = {.min_samples = options_.min_samples,
                 .max_samples = options_.max_samples,
                 .max_ns = kNsPerS * options_.max_seconds};
  limits.max_wait_ns = kNsPerS * options_.max_wait_seconds;
  TW_ASSIGN_OR_RETURN(Rounds rounds, Collect(sampler, limits));
  last_busy_ = clock_.Now();
  InterleavedTimes times = TimesFrom(rounds.all, std::move(rounds.screening));
  times.disturbed = std::move(rounds.disturbed);
  return TimedOf(times, 0);
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
  options.max_wait_seconds = options_.max_wait_seconds;
  std::size_t culprit = 0;
  const Result<InterleavedTimes> times = Interleave(candidates, options, culprit);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (times.ok())
      results.emplace_back(TimedOf(*times, i));
    else if (i == culprit)
      results.emplace_back(times.status());
    else
      results.emplace_back(Status(StatusCode::kAborted, "another candidate failed"));
  }
  return results;
}

Result<InterleavedTimes> TimingRig::Interleave(std::span<const Contestant* const> contestants,
                                               const CompareOptions& options,
                                               std::size_t& culprit) {
  TW_CHECK(!contestants.empty());
  const double samples = std::max(options.min_rounds, 1) * static_cast<double>(contestants.size());
  const ReplayLength length{.least_ns = 3e6, .most_ns = kNsPerS * options.max_seconds / samples};
  TW_ASSIGN_OR_RETURN(std::vector<Replay> replays, Prepare(contestants, length, culprit));
  RoundSampler sampler(device_, std::move(replays), options.regime);
  Limits limits;
  limits.stop = {.min_samples = options.min_rounds,
                 .max_samples = options.max_rounds,
                 .max_ns = kNsPerS * options.max_seconds,
                 .relative_half_width = options.relative_half_width};
  limits.max_wait_ns = kNsPerS * options.max_wait_seconds;
  limits.warm = options.regime != Regime::kCool;
  Status warm = limits.warm ? sampler.WarmUp(options_.warmup_seconds) : OkStatus();
  culprit = sampler.culprit();
  TW_RETURN_IF_ERROR(warm);
  Result<Rounds> rounds = Collect(sampler, limits);
  culprit = sampler.culprit();
  TW_RETURN_IF_ERROR(rounds.status());
  last_busy_.reset();
  if (limits.warm)
    last_busy_ = clock_.Now();
  InterleavedTimes times = TimesFrom(rounds->all, std::move(rounds->screening));
  times.disturbed = std::move(rounds->disturbed);
  return times;
}

Result<std::vector<Replay>> TimingRig::Prepare(std::span<const Contestant* const> contestants,
                                               const ReplayLength& length,
                                               std::size_t& culprit) {
  TW_ASSIGN_OR_RETURN(const std::vector<DeviceAddress> workspaces, PlaceWorkspaces(contestants));
  std::vector<Replay> replays;
  for (culprit = 0; culprit < contestants.size(); ++culprit) {
    TW_ASSIGN_OR_RETURN(Replay replay, Replay::Prepare(device_, *contestants[culprit], operands_,
                                                       workspaces[culprit], length));
    replays.push_back(std::move(replay));
  }
  return replays;
}

Result<TimingRig::Rounds> TimingRig::Collect(RoundSampler& sampler, const Limits& limits) {
  constexpr std::chrono::milliseconds kPause{100};
  constexpr double kHopelessShare = 0.05;
  // The device is left alone for a while then: it may cool down, or the other one finish sooner.
  constexpr int kFlawsBeforePause = 3;
  Rounds rounds;
  double good_ns = 0;
  double lost_ns = 0;
  int flaws = 0;  // in a row
  const double patience_ns = limits.max_wait_ns * (hopeless_ ? kHopelessShare : 1);
  // Long blocks need several quiet spells, and each edge of a spell costs a block.
  constexpr double kLostPerGood = 4;
  while (lost_ns <= std::max(patience_ns, kLostPerGood * good_ns)) {
    TW_ASSIGN_OR_RETURN(Round round, sampler.Next());
    const bool flawed = !FlawOf(round).empty();
    if (!flawed && flaws >= kFlawsBeforePause && limits.warm) {
      // Quiet again, but cool: this round does not count.
      if (Status warmed = sampler.WarmUp(options_.warmup_seconds); !warmed.ok())
        return warmed;
      flaws = 0;
      continue;
    }
    flaws = flawed ? flaws + 1 : 0;
    hopeless_ = hopeless_ && flawed;
    const double elapsed_ns = round.elapsed_ns;
    const std::size_t kept = rounds.screening.kept.size();
    rounds.all.push_back(std::move(round));
    rounds.screening = ScreenRounds(rounds.all);
    (rounds.screening.kept.size() > kept ? good_ns : lost_ns) += elapsed_ns;
    if (IsEnoughOfAll(limits.stop, SeriesOf(rounds.all, rounds.screening.kept), good_ns))
      return rounds;
    if (flaws >= kFlawsBeforePause) {
      device_.Pause(kPause);
      lost_ns += static_cast<double>(std::chrono::nanoseconds(kPause).count());
    }
  }
  hopeless_ = true;
  rounds.disturbed = MostFrequent(rounds.screening.discarded);
  return rounds;
}

Result<std::vector<DeviceAddress>> TimingRig::PlaceWorkspaces(
    std::span<const Contestant* const> contestants) {
  std::int64_t total = 0;
  for (const Contestant* contestant : contestants) {
    if (contestant->workspace_zero_bytes() == 0)
      total =
          std::max<std::int64_t>(total, RoundUp(contestant->workspace_bytes(), kBufferAlignment));
  }
  std::vector<std::int64_t> offsets;
  for (const Contestant* contestant : contestants) {
    const bool shares = contestant->workspace_zero_bytes() == 0;
    offsets.push_back(shares ? 0 : total);
    if (!shares)
      total += RoundUp(contestant->workspace_bytes(), kBufferAlignment);
  }
  TW_RETURN_IF_ERROR(PrepareWorkspace(total));
  std::vector<DeviceAddress> addresses;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    addresses.push_back(workspace_.address() + static_cast<DeviceAddress>(offsets[i]));
    if (const std::int64_t zero_bytes = contestants[i]->workspace_zero_bytes(); zero_bytes > 0)
      TW_RETURN_IF_ERROR(device_.Memory().Set(addresses.back(), 0, zero_bytes));
  }
  return addresses;
}

Status TimingRig::PrepareWorkspace(std::int64_t bytes) {
  if (bytes <= workspace_.bytes())
    return OkStatus();
  workspace_ = DeviceBuffer();
  TW_ASSIGN_OR_RETURN(workspace_, DeviceBuffer::Allocate(device_.Memory(), bytes));
  return OkStatus();
}

bool TimingRig::IsCold() const {
  return !last_busy_ || clock_.Now() - *last_busy_ > kIdleLimit;
}

}  // namespace tw
