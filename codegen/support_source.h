// Source of the kernels that judge a job's candidates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"
#include "codegen/template_store.h"

namespace tw {

// The support module of a job: fill, reference, compare and guard kernels for the problem's types
// (templates/tw/verify/*.cuh). Entry names are constants of that header.
Result<KernelSource> BuildSupportSource(const GemmProblem& problem,
                                        const DeviceSpec& device,
                                        const TemplateStore& templates);

}  // namespace tw
