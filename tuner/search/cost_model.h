// Predicted time of a candidate: roofline terms, waves, traffic. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"

namespace tw {

struct Prediction {
  double time_ns = 0;
  std::string
      bound;  // the largest term: "tensor", "fma", "smem", "l2", "dram", "latency", "launch"
};

// Requires: candidate.resources filled by its family's plan.
Prediction PredictTime(const GemmProblem& problem,
                       const DeviceSpec& device,
                       const Candidate& candidate);

// Share of the last wave's slots that do work, over all waves: tiles / (waves * slots).
double WaveEfficiency(std::int64_t tiles, std::int64_t slots);

}  // namespace tw
