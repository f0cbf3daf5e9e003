// Which rounds of a comparison are worth nothing because the device was disturbed. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/device/device.h"

namespace tw {

// One sample of every contestant, next to each other in time.
struct Round {
  std::vector<double> times_ns;  // one launch, by contestant
  double waited_ns = 0;          // longest time that a replay waited for the device
  double elapsed_ns = 0;         // on the host, pauses included
  DeviceReading before, after;
};

// Reasons for which a round is thrown away.
inline constexpr char kThrottled[] = "throttled";
inline constexpr char kOtherLoad[] = "other_load";
inline constexpr char kClockStep[] = "clock_step";
inline constexpr char kOutlier[] = "outlier";

// What is wrong with a round whatever the others are like: throttled, other_load or nothing.
//
// other_load: the device is shared in slices of about 2 ms, so that a replay waits for its turn. On
// an H200 a replay ends 6 us after its kernels (70 us where the host slept) when alone, and 200 us
// to 1.7 ms after while another process computes. Its kernels' own time is no evidence: below 2 ms
// it stays right, above it is longer by a steady factor. The host's scheduler can delay a replay as
// well, so that a device which knows of no other process is believed.
std::string_view FlawOf(const Round& round);

struct Screening {
  std::vector<std::size_t> kept;                  // positions of the good rounds
  std::map<std::string, std::int64_t> discarded;  // the others, by reason
};

// Rounds with a flaw go first. Of the others:
// other_load: a contestant takes 1.25 times its own low quantile; clocks do not change by as much
//   after warm-up. Where most rounds do, it is the contestant's nature, and they stay.
// clock_step: the clock lies 5 % off the median and every contestant's time shows it.
// outlier: a ratio to the first contestant (a lone contestant's time) is far from the others.
Screening ScreenRounds(std::span<const Round> rounds);

// What the kept rounds say: the ratios of the second contestant, the third, … to the first; the
// times of a lone contestant.
std::vector<std::vector<double>> SeriesOf(std::span<const Round> rounds,
                                          std::span<const std::size_t> kept);

// Over the kept rounds; over all if none is.
Conditions ConditionsOf(std::span<const Round> rounds, std::span<const std::size_t> kept);

}  // namespace tw
