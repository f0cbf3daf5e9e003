// SPDX-License-Identifier: Apache-2.0
#include "tuner/benchmark_job.h"

#include <utility>

#include "codegen/support_source.h"

namespace tw {

Result<CompiledKernel> CompileSupport(const TuneContext& context) {
  const TuneSpec& spec = context.spec;
  TW_ASSIGN_OR_RETURN(const KernelSource source,
                      BuildSupportSource(spec.problem, spec.device, context.deps.templates));
  Result<CompiledKernel> compiled = context.deps.compiler.Compile(source, context.stop);
  if (compiled.ok() || compiled.status().code() == StatusCode::kCancelled ||
      compiled.status().code() == StatusCode::kUnavailable) {
    return compiled;
  }
  return Status(StatusCode::kInternal,
                "the support module does not compile: " + compiled.status().message());
}

BenchmarkJob MakeJob(const TuneContext& context, CompiledKernel support) {
  BenchmarkJob job;
  job.device_uuid = context.spec.device.uuid;
  job.problem = context.spec.problem;
  job.support = std::move(support);
  job.options.objective = context.spec.objective;
  job.options.seed = context.spec.options.seed;
  job.check_determinism = context.spec.contract.deterministic;
  return job;
}

}  // namespace tw
