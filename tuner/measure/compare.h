// What a comparison in turns is asked for, and what it gives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "codegen/core/baseline.h"
#include "tuner/measure/ratio.h"

namespace tw {

struct CompareOptions {
  Regime regime = Regime::kHot;
  int min_rounds = kFewestPairs;  // undisturbed ones
  int max_rounds = 51;            // undisturbed ones
  double max_seconds = 30;        // of undisturbed sampling; then fewer rounds must do
  // For a disturbed device to become quiet; four times the undisturbed time so far if that is more.
  double max_wait_seconds = 12;
  double relative_half_width = 1e-3;  // of every ratio's interval to the first contestant: enough
};

struct InterleavedTimes {
  // One launch of the contestant, by contestant and kept round. rounds_ns[i][r] and
  // rounds_ns[j][r] are of the same round.
  std::vector<std::vector<double>> rounds_ns;
  // Rounds that were thrown away, by reason: "throttled", "other_load", "clock_step", "outlier".
  std::map<std::string, std::int64_t> discarded;
  Conditions conditions;
  // Empty, or the reason for which the device never was quiet long enough: rounds_ns then holds too
  // little, or disturbed rounds where there are no others.
  std::string disturbed;
};

}  // namespace tw
