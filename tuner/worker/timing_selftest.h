// tilewright-worker --selftest timing: shows on this device that the stopwatch can be trusted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

#include "codegen/compile/nvrtc_api.h"
#include "codegen/core/baseline.h"
#include "codegen/core/candidate.h"
#include "codegen/core/status.h"
#include "codegen/template_store.h"
#include "tuner/worker/gpu_role.h"

namespace tw {

struct TimingSelftest {
  GpuRoleOptions gpu = {};
  NvrtcSearch nvrtc = {};
  Regime regime = Regime::kHot;
  double seconds = 30;  // at most, for each comparison
};

// Source of the work kernel (templates/work.cu.in).
Result<KernelSource> BuildWorkSource(const std::string& arch, const TemplateStore& templates);

// Compares two kernels of about 25 us and 1.5 ms with themselves and with copies that do 1 % more,
// on the first device; writes a table. False: the stopwatch was wrong at least once. An error:
// there is no device or no compiler, or a launch failed.
Result<bool> RunTimingSelftest(const TimingSelftest& options, std::FILE* out);

}  // namespace tw
