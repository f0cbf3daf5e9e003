// SPDX-License-Identifier: Apache-2.0
#include "client/cli/tune_flags.h"

#include <CLI/App.hpp>

#include "client/cli/baseline.h"
#include "client/cli/parse.h"

namespace tw::cli {
namespace {

Status FillComparison(v1::StartTuneRequest& request, const TuneFlags& flags) {
  if (!flags.baseline.empty()) {
    TW_ASSIGN_OR_RETURN(const auto baseline, ParseBaseline("baseline", flags.baseline));
    request.set_baseline(baseline);
  }
  if (!flags.regime.empty()) {
    TW_ASSIGN_OR_RETURN(const auto regime, ParseRegime("regime", flags.regime));
    request.set_regime(regime);
    if (!Compares(request)) {
      return InvalidField("regime", flags.regime, "needs --baseline cublaslt");
    }
  }
  return OkStatus();
}

}  // namespace

void AddTuneFlags(CLI::App& command, TuneFlags& flags) {
  command.add_option("--budget", flags.budget, "time for the search: 30s (default), 500ms, 2m");
  command.add_option("--max-candidates", flags.max_candidates, "kernels to compile at most");
  command.add_option("--family", flags.family, "this kernel family only");
  command.add_option("--strategy", flags.strategy,
                     "adaptive (default), or exhaustive: every legal kernel or an even sample");
  command.add_option("--seed", flags.seed, "seed of the search's random share");
  command.add_flag("--require-measured", flags.require_measured,
                   "a predicted result is no result (exit code 4)");
  command.add_flag("--retune", flags.retune, "tune again although a result is stored");
  command.add_option("--baseline", flags.baseline, "compare with this library: cublaslt");
  command.add_option("--regime", flags.regime,
                     "how the GPU is kept busy in that comparison: hot (default), cool or alone");
}

Result<v1::StartTuneRequest> BuildStartTune(const TuneFlags& flags) {
  v1::StartTuneRequest request;
  if (!flags.budget.empty()) {
    TW_ASSIGN_OR_RETURN(const double seconds, ParseSeconds("budget", flags.budget));
    request.set_budget_s(seconds);
  }
  if (!flags.max_candidates.empty()) {
    TW_ASSIGN_OR_RETURN(const auto count, ParseCount("max_candidates", flags.max_candidates));
    request.set_max_candidates(count);
  }
  if (!flags.seed.empty()) {
    TW_ASSIGN_OR_RETURN(const auto seed, ParseUint64("seed", flags.seed));
    request.set_seed(seed);
  }
  if (!flags.strategy.empty()) {
    TW_ASSIGN_OR_RETURN(const auto strategy, ParseStrategy("strategy", flags.strategy));
    request.set_strategy(strategy);
  }
  request.set_family(flags.family);
  request.set_require_measured(flags.require_measured);
  request.set_policy(flags.retune ? v1::TUNE_POLICY_RETUNE : v1::TUNE_POLICY_REUSE);
  TW_RETURN_IF_ERROR(FillComparison(request, flags));
  return request;
}

}  // namespace tw::cli
