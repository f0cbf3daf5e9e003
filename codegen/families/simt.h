// Family simt: CUDA cores; every problem, every arch. The fallback that always exists.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/families/family.h"

namespace tw {

extern const KernelFamily kSimtFamily;

// Combinations worth considering, at most about 150: see KernelFamily::enumerate.
void EnumerateSimt(const GemmProblem& problem,
                   const DeviceSpec& device,
                   const std::function<bool(const KernelConfig&)>& visit);

}  // namespace tw
