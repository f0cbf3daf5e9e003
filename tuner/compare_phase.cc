// SPDX-License-Identifier: Apache-2.0
#include "tuner/compare_phase.h"

#include <memory>
#include <utility>

#include "tuner/benchmark_job.h"

namespace tw {
namespace {

// Samples of the other regimes take long: 60 ms of idling, 0.4 s of work. Fewer of the library's
// algorithms leave time for as many rounds as a verdict needs.
BaselineOptions OptionsFor(Regime regime) {
  BaselineOptions options{.regime = regime};
  switch (regime) {
    case Regime::kHot:
      break;
    case Regime::kCool:
      options.finalists = 2;
      break;
    case Regime::kAlone:
      options.finalists = 1;
      options.max_seconds = 20;
      break;
  }
  return options;
}

}  // namespace

Result<BaselineReport> CompareWinner(const TuneContext& context, const TuneResult& result) {
  TW_ASSIGN_OR_RETURN(CompiledKernel support, CompileSupport(context));
  TW_ASSIGN_OR_RETURN(CompiledKernel kernel, context.Compile(result.winner.config));
  TW_ASSIGN_OR_RETURN(
      const std::unique_ptr<BenchmarkSession> session,
      context.deps.benchmarker.Open(MakeJob(context, std::move(support)), context.stop));
  const CandidateRun winner{.candidate_id = result.winner.candidate_id,
                            .kernel = std::move(kernel),
                            .launch = result.winner.launch};
  return session->CompareWithLibrary(winner, OptionsFor(context.spec.options.regime), context.stop);
}

}  // namespace tw
