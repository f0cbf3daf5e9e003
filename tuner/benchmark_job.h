// What a tune asks of the benchmarker. Internal to the tuner.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/benchmarker.h"
#include "tuner/tune_context.h"

namespace tw {

// The judging kernels of the problem. Internal: they do not compile, which is no candidate's fault.
Result<CompiledKernel> CompileSupport(const TuneContext& context);

BenchmarkJob MakeJob(const TuneContext& context, CompiledKernel support);

}  // namespace tw
