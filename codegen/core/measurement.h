// What became of a kernel's turn on the GPU, and its time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tw {

enum class OutcomeKind : std::uint8_t {
  kMeasured,  // verified and timed
  kCompiled,  // no GPU: compiled, ranked by model only
  kPruned,    // rejected before or after compilation by a named rule
  kCompileError,
  kLaunchError,  // the driver refused to load or launch it
  kWrongResult,
  kTimedOut,   // hung: its worker was killed
  kCrashed,    // its worker died, or a sticky CUDA error
  kDisturbed,  // only throttled or disturbed samples
  kSkipped,    // budget ended first
};

std::string_view Name(OutcomeKind kind);
std::optional<OutcomeKind> ParseOutcomeKind(std::string_view name);

struct Conditions {
  double sm_clock_mhz = 0;  // mean of readings around the samples
  double temperature_c = 0;
  double power_w = 0;
  double power_limit_w = 0;
  std::uint64_t throttle_reasons = 0;  // NVML bits seen

  friend bool operator==(const Conditions&, const Conditions&) = default;
};

struct Measurement {
  std::vector<double> samples_ns;  // per launch plan, kept samples only
  double median_ns = 0;
  double ci_low_ns = 0, ci_high_ns = 0;  // 95 % interval of the median
  double min_ns = 0;
  int discarded = 0;  // samples thrown away as disturbed
  Conditions conditions;
};

}  // namespace tw
