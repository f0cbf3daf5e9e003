// Whether the stopwatch tells the truth on this device: what is equal must not differ, and a small
// difference must be found.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/measure/timing.h"

namespace tw {

struct SelfCheckRepeats {
  int equal = 5;       // against itself: a ratio of 1 within 0.2 %
  int slower = 5;      // against one that is slower by a percent: found
  int undivided = 20;  // against itself: no difference is called
};

// One comparison.
struct SelfCheckRow {
  std::string check;  // "equal", "slower", "undivided"
  RatioEstimate ratio;
  ComparisonVerdict verdict = ComparisonVerdict::kUndecided;
  double time_ns = 0;          // of the contestant, median
  std::int64_t discarded = 0;  // rounds
  Conditions conditions;
  std::string disturbed;
  bool passed = false;
};

// Compares `contestant` with itself and with `slower`, which may be null: no such check then.
// An error: a launch failed.
Result<std::vector<SelfCheckRow>> CheckStopwatch(TimingRig& rig,
                                                 const Contestant& contestant,
                                                 const Contestant* slower,
                                                 const CompareOptions& options,
                                                 const SelfCheckRepeats& repeats);

}  // namespace tw
