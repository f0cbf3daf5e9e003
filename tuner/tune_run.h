// One tune from the space to the stored result. Internal to the tuner.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/core/candidate.h"
#include "codegen/core/outcome.h"
#include "tuner/finalists.h"
#include "tuner/funnel.h"
#include "tuner/measure_phase.h"
#include "tuner/run_log.h"
#include "tuner/search/space.h"
#include "tuner/search/strategy.h"
#include "tuner/tune_context.h"

namespace tw {

class TuneRun {
 public:
  // `context` and `observer` outlive it. `measuring`: the context's device can measure.
  TuneRun(const TuneContext& context, const TuneObserver& observer, bool measuring);

  // Once.
  Result<TuneResult> Execute();

 private:
  Status Enumerate();
  Status ReuseReports();
  [[nodiscard]] bool IsReusable(const CandidateReport& report) const;
  [[nodiscard]] StrategyOptions Choosing() const;
  [[nodiscard]] KnownTimes Known() const;
  [[nodiscard]] std::vector<Candidate> Unfinished(const std::vector<Candidate>& batch) const;
  Status ReportSkipped(const std::vector<Candidate>& batch);
  Status SearchInBatches(MeasurePhase& phase);
  Status Measure(TuneResult& result);
  Status Predict(TuneResult& result);
  void SetWinner(const CandidateReport& report, const Choice& choice, TuneResult& result) const;
  [[nodiscard]] std::int64_t SeedsTried() const;
  [[nodiscard]] Funnel MakeFunnel() const;
  Status Describe(TuneResult& result) const;

  const TuneContext& context_;
  const bool measuring_;
  RunLog log_;
  Space space_;  // its candidates are moved on; its counts stay
  std::int64_t legal_ = 0;
  std::vector<Candidate> ranked_;  // all that are legal
  Experience experience_;
  double enumerate_s_ = 0;
  bool partial_ = false;
};

}  // namespace tw
