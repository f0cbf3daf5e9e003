// When there are samples enough. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace tw {

struct StoppingLimits {
  int min_samples = 7;
  int max_samples = 31;
  double max_ns = 0.25e9;              // spent on them
  double relative_half_width = 0.005;  // of the median's interval
};

// At a narrow interval of the median, or at a limit; something slow gets three samples at least,
// whatever the time. `elapsed_ns`: spent on the samples.
bool IsEnough(const StoppingLimits& limits, std::span<const double> samples, double elapsed_ns);

}  // namespace tw
