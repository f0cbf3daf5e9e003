// SPDX-License-Identifier: Apache-2.0
#include "tuner/compare_phase.h"

#include <memory>
#include <utility>

#include "tuner/benchmark_job.h"

namespace tw {

Result<BaselineReport> CompareWinner(const TuneContext& context, const TuneResult& result) {
  TW_ASSIGN_OR_RETURN(CompiledKernel support, CompileSupport(context));
  TW_ASSIGN_OR_RETURN(CompiledKernel kernel, context.Compile(result.winner.config));
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<BenchmarkSession> session,
      context.deps.benchmarker.Open(MakeJob(context, std::move(support)), context.stop));
  const CandidateRun winner{.candidate_id = result.winner.candidate_id,
                            .kernel = std::move(kernel),
                            .launch = result.winner.launch};
  return session->CompareWithLibrary(winner, {.regime = context.spec.options.regime}, context.stop);
}

}  // namespace tw
