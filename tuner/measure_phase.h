// The phases of a tune that need a GPU: verify and measure while the compilers work, then the
// final round.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tuner/benchmarker.h"
#include "tuner/compile_queue.h"
#include "tuner/finalists.h"
#include "tuner/run_log.h"
#include "tuner/tune_context.h"

namespace tw {

// Statuses of both phases tell of the device, the compiler or the store, never of a candidate.
class MeasurePhase {
 public:
  // `context` and `log` outlive it.
  MeasurePhase(const TuneContext& context, RunLog& log) : context_(context), log_(log) {}

  // Compiles, verifies and measures `candidates`, best rank first, until all are done, or something
  // is measured and the budget leaves time for no more than the final round.
  Status Search(std::vector<Candidate> candidates);

  // Measures the fastest so far again, in turns on a warm device, where they have not met yet:
  // their first times are not comparable. Nothing where the budget leaves no time for it.
  Status Compare();

  // Measures the fastest of the log's candidates again in turns, in heats (finalists.h) and, where
  // they tie, in playoffs, and gives the reports of the last; the log has the new figures. A
  // finalist that fails now is out, and the next ones take their turn where none is left. Fewer
  // rounds, or none, where the budget ends. Empty: no candidate is left at all.
  Result<std::vector<CandidateReport>> FinalRound();

  // The compiler that made a finalist. Requires: it came from FinalRound.
  [[nodiscard]] const std::string& CompilerOf(const std::string& candidate_id) const;

  [[nodiscard]] const PhaseTimes& times() const { return times_; }

  // The budget left no time for a final round.
  [[nodiscard]] bool cut_short() const { return cut_short_; }

 private:
  Status CompileSupportAndOpen();
  Status OpenSession(CompiledKernel support);
  Status Handle(CompiledCandidate item);
  Status Account(const CandidateReport& before, const BenchmarkOutcome& outcome);
  void Keep(CandidateRun run);
  Result<bool> MakeReady(const std::string& candidate_id);
  Result<std::vector<CandidateRun>> MakeAllReady(const std::vector<std::string>& ids);
  [[nodiscard]] Heat Final() const;
  [[nodiscard]] double FastestNs() const;
  [[nodiscard]] double SecondsForTheFinal() const;
  [[nodiscard]] bool FitsBeforeTheFinal(const Heat& heat) const;
  [[nodiscard]] bool IsTimeForTheFinal() const;
  [[nodiscard]] std::vector<std::string> EntrantsNow() const;
  Result<std::vector<std::string>> RunHeats();
  Result<std::vector<std::string>> RunPlayoffs(std::vector<std::string> ids);
  Result<std::vector<std::string>> RunHeat(std::vector<std::string> ids, int rounds);
  Result<bool> RunInTurns(const std::vector<CandidateRun>& runs, int rounds);
  [[nodiscard]] std::vector<CandidateReport> ReportsOf(const std::vector<std::string>& ids) const;
  [[nodiscard]] std::vector<std::string> Survivors(const std::vector<CandidateRun>& runs) const;
  void CountCompilation(const CompiledKernel& kernel);
  [[nodiscard]] Status Blame(const Status& status) const;

  const TuneContext& context_;
  RunLog& log_;
  std::unique_ptr<BenchmarkSession> session_;
  std::map<std::string, CandidateRun> kernels_;  // of the fastest so far
  PhaseTimes times_;
  bool compared_ = false;  // what is likely to win has met since the last search
  bool cut_short_ = false;
  bool quiet_ = true;   // nothing disturbed the last turns
  double tried_s_ = 0;  // on the candidates that had their turn
  int tried_ = 0;
};

}  // namespace tw
