// What becomes of a candidate that came back from the compiler: ready to run, or a report.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "codegen/core/outcome.h"
#include "tuner/benchmarker.h"
#include "tuner/compile_queue.h"
#include "tuner/tune_context.h"

namespace tw {

struct Triaged {
  CandidateReport report;           // kind kCompiled where `run` is there, else the final outcome
  std::optional<CandidateRun> run;  // ready for the benchmarker
};

// The report of a candidate before anything happened to it: kSkipped.
CandidateReport InitialReport(const Candidate& candidate);

// Cancelled, Unavailable: the compiler, not the candidate, ended this.
Result<Triaged> Triage(const TuneContext& context, CompiledCandidate item);

}  // namespace tw
