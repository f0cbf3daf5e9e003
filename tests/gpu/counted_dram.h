// What the search predicts of a configuration's DRAM traffic, for a profiler's counters to confirm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"
#include "codegen/core/status.h"

namespace tw {

struct CountedCandidate {
  Candidate candidate;
  LaunchPlan plan;  // of one launch
};

// InvalidArgument: not legal there, or of several launches, between which a profiler empties the
// caches.
Result<CountedCandidate> ToCount(const GemmProblem& problem,
                                 const DeviceSpec& device,
                                 const KernelConfig& config);

struct DramPrediction {
  double read = 0;
  double written = 0;  // sooner or later: the end of D may stay in the L2
};

// As `explain` has it: with the registers that the compiler gave.
DramPrediction PredictDram(const GemmProblem& problem,
                           const DeviceSpec& device,
                           const CountedCandidate& counted,
                           const CompiledKernel& kernel);

}  // namespace tw
