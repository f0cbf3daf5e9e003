// Family wgmma_tma: Hopper's warpgroup products fed by TMA, sm_90a.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "codegen/families/family.h"
#include "tw/families/wgmma_tma.plan.h"

namespace tw {

extern const KernelFamily kWgmmaTmaFamily;

// The plan header's view of a configuration. Requires: every knob is in its domain.
wgmma_tma::Plan MakeWgmmaTmaPlan(const GemmProblem& problem, const KernelConfig& config);

// Name of the first kernel: every knob is in it, so that a profiler's list tells candidates apart.
std::string WgmmaTmaEntryName(const GemmProblem& problem, const KernelConfig& config);

// The plan as a member of the generated `struct Candidate`.
std::string WgmmaTmaPlanText(const wgmma_tma::Plan& plan);

// Tensor maps in the kernel's order: the rows' operand, the columns', D in pieces of 128 bytes, D's
// narrower last piece. Only what the plan uses is meaningful; the others repeat a neighbour.
std::vector<TensorMapRecipe> WgmmaTmaMaps(const GemmProblem& problem, const wgmma_tma::Plan& plan);

// Combinations worth considering: see KernelFamily::enumerate.
void EnumerateWgmmaTma(const GemmProblem& problem,
                       const DeviceSpec& device,
                       const std::function<bool(const KernelConfig&)>& visit);

}  // namespace tw
