// Candidates in the order of their predicted time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"

namespace tw {

// Fills predicted_ns and predicted_bound and sorts, fastest first; equal times by id, so that the
// order never depends on the order of enumeration.
void RankCandidates(const GemmProblem& problem,
                    const DeviceSpec& device,
                    std::vector<Candidate>& candidates);

}  // namespace tw
