// The model's predictions, corrected by what was measured of candidates that are alike. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "codegen/core/candidate.h"

namespace tw {

struct MeasuredCandidate {
  const Candidate* candidate = nullptr;
  double time_ns = 0;
  double weight = 1;  // below 1: of another problem, where the model errs alike but not the same
};

// How unlike two configurations of one family are: the doublings between their knobs' values
// (counted from 1, so that a flag is one doubling), summed.
double Distance(const KernelConfig& a, const KernelConfig& b);

// In the order of `candidates`: the prediction times the mean error of the model (geometric) on
// measured candidates of the same family, near ones weighing most. As predicted where nothing of
// the family is measured.
std::vector<double> CorrectedNs(const std::vector<Candidate>& candidates,
                                std::span<const MeasuredCandidate> measured);

}  // namespace tw
