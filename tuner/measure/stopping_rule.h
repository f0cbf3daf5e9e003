// When a kernel has been timed enough. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace tw {

struct StoppingLimits {
  int min_samples = 7;
  int max_samples = 31;
  double max_ns = 0.25e9;              // of device time
  double relative_half_width = 0.005;  // of the median's interval
};

// Stops at a narrow interval of the median, or at a limit; a slow kernel gets three samples at
// least, whatever the time.
class StoppingRule {
 public:
  explicit StoppingRule(const StoppingLimits& limits) : limits_(limits) {}

  // One sample that took `elapsed_ns` of device time to get.
  void Add(double sample_ns, double elapsed_ns);

  [[nodiscard]] bool Finished() const;

  [[nodiscard]] const std::vector<double>& samples() const { return samples_; }

 private:
  StoppingLimits limits_;
  std::vector<double> samples_;
  double elapsed_ns_ = 0;
};

}  // namespace tw
