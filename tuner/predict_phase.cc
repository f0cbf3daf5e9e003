// SPDX-License-Identifier: Apache-2.0
#include "tuner/predict_phase.h"

#include <algorithm>
#include <utility>

#include "tuner/compile_queue.h"
#include "tuner/compiled_rules.h"
#include "tuner/search/cost_model.h"
#include "tuner/triage.h"

namespace tw {
namespace {

// The prediction over what the compiler made: real registers decide how many blocks share an SM.
void PredictAgain(const TuneContext& context, const CandidateRun& run, CandidateReport& report) {
  const CompiledNeeds needs = NeedsOf(run.kernel, run.launch);
  Candidate candidate;
  candidate.config = report.config;
  candidate.id = report.candidate_id;
  candidate.resources = report.resources;
  candidate.resources.regs_estimate = needs.registers;
  candidate.resources.smem_bytes = needs.smem_bytes;
  Prediction prediction = PredictTime(context.spec.problem, context.spec.device, candidate);
  report.predicted_ns = prediction.time_ns;
  report.predicted_bound = std::move(prediction.bound);
}

bool AnyCompiled(const RunLog& log) {
  return std::any_of(log.reports().begin(), log.reports().end(), [](const CandidateReport& report) {
    return report.kind == OutcomeKind::kCompiled;
  });
}

}  // namespace

Result<Predictions> CompileAndPredict(const TuneContext& context,
                                      RunLog& log,
                                      std::vector<Candidate> candidates) {
  log.Begin(TunePhase::kCompile);
  Predictions predictions;
  PhaseTimes& times = predictions.times;
  const auto build = [&](const Candidate& candidate) { return context.Source(candidate.config); };
  CompileQueue queue(context.deps.compiler, context.deps.clock, build, std::move(candidates));
  const auto give_up = [&] {
    return context.stop.stop_requested() || (context.SecondsLeft() <= 0 && AnyCompiled(log));
  };
  while (std::optional<CompiledCandidate> item = queue.Next(give_up)) {
    if (item->kernel.ok()) {
      times.compile_cpu_s += item->kernel->compile_seconds;
      times.compiled += item->kernel->from_cache ? 0 : 1;
      predictions.compiler = item->kernel->compiler;
    }
    log.SetCompiled(queue.compiled());
    Result<Triaged> triaged = Triage(context, *std::move(item));
    if (!triaged.ok()) {
      return context.stop.stop_requested() ? CancelledStatus() : triaged.status();
    }
    if (triaged->run) {
      PredictAgain(context, *triaged->run, triaged->report);
    }
    TW_RETURN_IF_ERROR(log.Add(triaged->report));
  }
  if (context.stop.stop_requested()) {
    return CancelledStatus();
  }
  times.compile_wall_s = std::chrono::duration<double>(queue.WallTime()).count();
  return predictions;
}

}  // namespace tw
