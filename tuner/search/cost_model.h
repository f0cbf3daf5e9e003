// Predicted time of a candidate: roofline terms, waves, traffic. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"

namespace tw {

// What a prediction is made of. The SMs' work (main loop and ends) and DRAM's overlap; what is
// fixed comes on top.
struct PredictionTerms {
  double main_loop_ns = 0;
  double ends_ns = 0;  // filling pipelines and epilogues, as far as nothing hides them
  double dram_ns = 0;
  double fixed_ns = 0;      // launches, and adding up the slices of split-K or stream-K
  std::string main_bound;   // of the main loop: "math", "smem", "l2", "latency"
  double complication = 1;  // factor on the whole, so that of two alike the simpler goes first
};

struct Prediction {
  double time_ns = 0;
  std::string
      bound;  // the largest term: "tensor", "fma", "smem", "l2", "dram", "latency", "launch"
  PredictionTerms terms;
};

// Requires: candidate.resources filled by its family's plan.
Prediction PredictTime(const GemmProblem& problem,
                       const DeviceSpec& device,
                       const Candidate& candidate);

// Share of the last wave's slots that do work, over all waves: tiles / (waves * slots).
double WaveEfficiency(std::int64_t tiles, std::int64_t slots);

}  // namespace tw
