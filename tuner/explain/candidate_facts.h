// One candidate through the models. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"
#include "tuner/explain/explanation.h"

namespace tw {

ExplainedCandidate ExplainCandidate(const GemmProblem& problem,
                                    const DeviceSpec& device,
                                    const CandidateReport& report);

}  // namespace tw
