// Family mma_sync: tensor cores by mma.sync, sm_80 on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/families/family.h"
#include "tw/families/mma_sync.plan.h"

namespace tw {

extern const KernelFamily kMmaSyncFamily;

// The plan header's view of a configuration. Requires: every knob is in its domain.
mma_sync::Plan MakeMmaSyncPlan(const GemmProblem& problem,
                               const DeviceSpec& device,
                               const KernelConfig& config);

// Combinations worth considering, at most 400: see KernelFamily::enumerate.
void EnumerateMmaSync(const GemmProblem& problem,
                      const DeviceSpec& device,
                      const std::function<bool(const KernelConfig&)>& visit);

}  // namespace tw
