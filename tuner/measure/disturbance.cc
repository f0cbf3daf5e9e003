// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/disturbance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tuner/device/nvml_api.h"
#include "tuner/measure/statistics.h"

namespace tw {
namespace {

constexpr double kLongestWaitNs = 150e3;

double ClockOf(const Round& round) {
  return (round.before.conditions.sm_clock_mhz + round.after.conditions.sm_clock_mhz) / 2;
}

std::vector<double> TimesOf(std::span<const Round> rounds,
                            std::span<const std::size_t> kept,
                            std::size_t contestant) {
  std::vector<double> times;
  times.reserve(kept.size());
  for (std::size_t r : kept)
    times.push_back(rounds[r].times_ns[contestant]);
  return times;
}

class Screener {
 public:
  explicit Screener(std::span<const Round> rounds) : rounds_(rounds) {
    result_.kept.resize(rounds.size());
    std::iota(result_.kept.begin(), result_.kept.end(), std::size_t{0});
  }

  Screening Screen() && {
    DropFlawed();
    DropLoaded();
    DropClockSteps();
    DropOutliers();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t contestants() const { return rounds_.front().times_ns.size(); }

  // Requires: as many flags as kept rounds.
  void Drop(const std::vector<bool>& bad, const std::string& reason) {
    const auto count = std::count(bad.begin(), bad.end(), true);
    if (count == 0)
      return;
    result_.discarded[reason] += count;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < bad.size(); ++i) {
      if (!bad[i])
        kept.push_back(result_.kept[i]);
    }
    result_.kept = std::move(kept);
  }

  void DropFlawed() {
    for (const char* reason : {kThrottled, kOtherLoad}) {
      std::vector<bool> bad;
      for (std::size_t r : result_.kept)
        bad.push_back(FlawOf(rounds_[r]) == reason);
      Drop(bad, reason);
    }
  }

  void DropLoaded() {
    constexpr double kLowQuantile = 0.2;
    constexpr double kLoaded = 1.25;
    if (result_.kept.empty())
      return;
    std::vector<bool> bad(result_.kept.size(), false);
    for (std::size_t i = 0; i < contestants(); ++i) {
      const std::vector<double> times = TimesOf(rounds_, result_.kept, i);
      const double limit = kLoaded * Quantile(times, kLowQuantile);
      for (std::size_t r = 0; r < times.size(); ++r)
        bad[r] = bad[r] || times[r] > limit;
    }
    if (2 * std::count(bad.begin(), bad.end(), true) <= static_cast<std::ptrdiff_t>(bad.size()))
      Drop(bad, kOtherLoad);
  }

  void DropClockSteps() {
    constexpr double kStep = 0.05;
    // A kernel bound by memory follows the clock in part only.
    constexpr double kFollows = 0.25;
    if (result_.kept.empty())
      return;
    std::vector<double> clocks;
    for (std::size_t r : result_.kept)
      clocks.push_back(ClockOf(rounds_[r]));
    const double clock = Median(clocks);
    std::vector<double> steps;  // how much longer a cycle is than usual
    steps.reserve(clocks.size());
    for (double c : clocks)
      steps.push_back(c > 0 ? clock / c - 1 : 0);
    std::vector<bool> bad(steps.size());
    for (std::size_t r = 0; r < steps.size(); ++r)
      bad[r] = std::abs(steps[r]) > kStep;
    for (std::size_t i = 0; i < contestants(); ++i) {
      const std::vector<double> times = TimesOf(rounds_, result_.kept, i);
      const double usual = Median(times);
      for (std::size_t r = 0; r < times.size(); ++r)
        bad[r] = bad[r] && (times[r] / usual - 1) / steps[r] > kFollows;
    }
    Drop(bad, kClockStep);
  }

  void DropOutliers() {
    if (result_.kept.empty())
      return;
    std::vector<bool> bad(result_.kept.size(), false);
    const bool lone = contestants() == 1;
    for (const std::vector<double>& series : SeriesOf(rounds_, result_.kept)) {
      const double median = Median(series);
      const double limit = OutlierDistance(series);
      for (std::size_t r = 0; r < series.size(); ++r) {
        const double off = series[r] - median;
        // Nothing makes a kernel too fast; a ratio errs to both sides.
        bad[r] = bad[r] || (lone ? off : std::abs(off)) > limit;
      }
    }
    Drop(bad, kOutlier);
  }

  std::span<const Round> rounds_;
  Screening result_;
};

}  // namespace

std::string_view FlawOf(const Round& round) {
  const std::uint64_t reasons =
      round.before.conditions.throttle_reasons | round.after.conditions.throttle_reasons;
  if ((reasons & kDisturbingThrottleReasons) != 0)
    return kThrottled;
  const bool alone = round.before.compute_processes == 1 && round.after.compute_processes == 1;
  if (!alone && round.waited_ns > kLongestWaitNs)
    return kOtherLoad;
  return {};
}

Screening ScreenRounds(std::span<const Round> rounds) {
  if (rounds.empty())
    return {};
  return Screener(rounds).Screen();
}

std::vector<std::vector<double>> SeriesOf(std::span<const Round> rounds,
                                          std::span<const std::size_t> kept) {
  std::vector<std::vector<double>> series;
  if (kept.empty())
    return series;
  const std::size_t contestants = rounds.front().times_ns.size();
  if (contestants == 1) {
    series.push_back(TimesOf(rounds, kept, 0));
    return series;
  }
  for (std::size_t i = 1; i < contestants; ++i) {
    std::vector<double>& ratios = series.emplace_back();
    for (std::size_t r : kept)
      ratios.push_back(rounds[r].times_ns[i] / rounds[r].times_ns[0]);
  }
  return series;
}

Conditions ConditionsOf(std::span<const Round> rounds, std::span<const std::size_t> kept) {
  std::vector<std::size_t> all(rounds.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (kept.empty())
    kept = all;
  Conditions c;
  for (std::size_t r : kept) {
    for (const DeviceReading* reading : {&rounds[r].before, &rounds[r].after}) {
      c.sm_clock_mhz += reading->conditions.sm_clock_mhz;
      c.power_w += reading->conditions.power_w;
      c.temperature_c = std::max(c.temperature_c, reading->conditions.temperature_c);
      c.power_limit_w = reading->conditions.power_limit_w;
      c.throttle_reasons |= reading->conditions.throttle_reasons;
    }
  }
  const double readings = 2 * std::max(static_cast<double>(kept.size()), 1.0);
  c.sm_clock_mhz /= readings;
  c.power_w /= readings;
  return c;
}

}  // namespace tw
