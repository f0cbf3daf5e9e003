// A comparison with a library as lines for people. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/names.h"

namespace tw::cli {

// "1755 MHz, 52 C, 612 of 700 W, throttling: none".
std::string ConditionsText(const v1::Conditions& at);

// "0.630 of its best (0.626 to 0.634, 15 pairs): slower; 0.660 of its first choice". A ratio is the
// library's time over ours: above 1 ours is faster.
// Requires: OverBest(report).
std::string VerdictText(const v1::BaselineReport& report);

// Why there is no verdict.
// Requires: !OverBest(report).
std::string NoVerdictText(const v1::BaselineReport& report);

// "#3 id 24 tile 18: wrong_element: D[0][2047] is off by 3.1 of the bound".
// Requires: Excluded(algorithm).
std::string ExcludedText(const v1::BaselineAlgorithm& algorithm);

// "throttled 3, foreign_load 1"; empty where no round was thrown away.
std::string DiscardedText(const v1::BaselineReport& report);

// All of it, a line each, as they stand in the answers of tune and lookup.
std::string BaselineText(const v1::BaselineReport& report);

}  // namespace tw::cli
