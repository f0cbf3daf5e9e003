// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/correction.h"

#include <cmath>
#include <string_view>

namespace tw {
namespace {

// At this distance a measurement weighs 1/e of one of the candidate itself.
constexpr double kReach = 0.7;
// Weight of the family as a whole.
constexpr double kFamilyWeight = 0.3;

double ValueOf(const KernelConfig& config, std::string_view name) {
  for (const auto& [knob, value] : config.knobs) {
    if (knob == name) {
      return value;
    }
  }
  return 0;
}

double LogError(const MeasuredCandidate& measured) {
  return std::log(measured.time_ns / measured.candidate->predicted_ns);
}

double LogCorrection(const Candidate& candidate, std::span<const MeasuredCandidate> measured) {
  double errors = 0, count = 0, near_errors = 0, weights = 0;
  for (const MeasuredCandidate& other : measured) {
    if (other.candidate->config.family != candidate.config.family) {
      continue;
    }
    const double error = LogError(other);
    const double weight =
        other.weight * std::exp(-Distance(candidate.config, other.candidate->config) / kReach);
    errors += other.weight * error;
    count += other.weight;
    near_errors += weight * error;
    weights += weight;
  }
  if (count == 0) {
    return 0;
  }
  return (kFamilyWeight * errors / count + near_errors) / (kFamilyWeight + weights);
}

}  // namespace

double Distance(const KernelConfig& a, const KernelConfig& b) {
  double doublings = 0;
  for (const auto& [knob, value] : a.knobs) {
    doublings += std::abs(std::log2((1.0 + value) / (1.0 + ValueOf(b, knob))));
  }
  return doublings;
}

std::vector<double> CorrectedNs(const std::vector<Candidate>& candidates,
                                std::span<const MeasuredCandidate> measured) {
  std::vector<double> corrected;
  corrected.reserve(candidates.size());
  for (const Candidate& candidate : candidates) {
    corrected.push_back(candidate.predicted_ns * std::exp(LogCorrection(candidate, measured)));
  }
  return corrected;
}

}  // namespace tw
