// Why a stored winner won, from the reports of the run that made it. Pure: needs no GPU and no
// compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"
#include "tuner/explain/explanation.h"

namespace tw {

// `device`: the GPU that the result is of, another of its class, or the reference device.
// `reports`: of the run result.run_id; none, where the store has lost them, is said in the notes.
// How many candidates got how far is result.funnel. Requires: `problem` is normalised.
Explanation Explain(const GemmProblem& problem,
                    const DeviceSpec& device,
                    const TuneResult& result,
                    std::span<const CandidateReport> reports);

}  // namespace tw
