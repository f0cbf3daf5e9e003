// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure_phase.h"

#include <algorithm>
#include <future>
#include <utility>

#include "codegen/core/check.h"
#include "tuner/benchmark_job.h"
#include "tuner/finalists.h"
#include "tuner/triage.h"

namespace tw {
namespace {

double Seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

// The report that a candidate's turn on the GPU leaves.
CandidateReport WithOutcome(CandidateReport report, const BenchmarkOutcome& outcome) {
  report.kind = outcome.kind;
  report.rule = outcome.rule;
  report.detail = outcome.detail;
  // The final round measures what an earlier turn verified: the worst of all turns stands.
  report.error_ratio = std::max(report.error_ratio, outcome.error_ratio);
  report.measurement = outcome.measurement;
  return report;
}

}  // namespace

// A cancelled tune says so, whatever the part that was interrupted made of it.
Status MeasurePhase::Blame(const Status& status) const {
  return context_.stop.stop_requested() ? CancelledStatus() : status;
}

void MeasurePhase::CountCompilation(const CompiledKernel& kernel) {
  times_.compile_cpu_s += kernel.compile_seconds;
  times_.compiled += kernel.from_cache ? 0 : 1;
}

Status MeasurePhase::OpenSession(CompiledKernel support) {
  const BenchmarkJob job = MakeJob(context_, std::move(support));
  const auto start = context_.deps.clock.Now();
  Result<std::unique_ptr<BenchmarkSession>> session =
      context_.deps.benchmarker.Open(job, context_.stop);
  times_.verify_s += Seconds(context_.deps.clock.Now() - start);  // the reference is computed here
  if (!session.ok()) {
    return Blame(session.status());
  }
  session_ = *std::move(session);
  return OkStatus();
}

Status MeasurePhase::CompileSupportAndOpen() {
  Result<CompiledKernel> support = CompileSupport(context_);
  if (!support.ok()) {
    return Blame(support.status());
  }
  CountCompilation(*support);
  return OpenSession(*std::move(support));
}

Status MeasurePhase::Search(std::vector<Candidate> candidates) {
  log_.Begin(TunePhase::kCompile);
  const auto give_up = [this] { return context_.stop.stop_requested() || IsTimeForTheFinal(); };
  if (context_.stop.stop_requested()) {
    return CancelledStatus();
  }
  if (candidates.empty() || give_up()) {
    return OkStatus();
  }
  compared_ = false;
  // The judging kernels first, then the candidates right behind them: neither waits for the other.
  std::future<Status> judge =
      std::async(session_ == nullptr ? std::launch::async : std::launch::deferred,
                 [this] { return session_ == nullptr ? CompileSupportAndOpen() : OkStatus(); });
  const auto build = [this](const Candidate& candidate) {
    return context_.Source(candidate.config);
  };
  CompileQueue queue(context_.deps.compiler, context_.deps.clock, build, std::move(candidates));
  TW_RETURN_IF_ERROR(judge.get());

  log_.Begin(TunePhase::kMeasure);
  while (std::optional<CompiledCandidate> item = queue.Next(give_up)) {
    const std::string family = item->candidate.config.family;
    log_.SetCompiled(queue.compiled());
    TW_RETURN_IF_ERROR(Handle(*std::move(item)));
    if (log_.Quarantined(family)) {
      queue.DropFamily(family);
    }
  }
  times_.compile_wall_s += Seconds(queue.WallTime());
  return context_.stop.stop_requested() ? CancelledStatus() : OkStatus();
}

Status MeasurePhase::Handle(CompiledCandidate item) {
  if (item.kernel.ok()) {
    CountCompilation(*item.kernel);
  }
  Result<Triaged> triaged = Triage(context_, std::move(item));
  if (!triaged.ok()) {
    return Blame(triaged.status());
  }
  if (!triaged->run) {
    return log_.Add(triaged->report);
  }
  const auto start = context_.deps.clock.Now();
  const Result<BenchmarkOutcome> outcome = session_->Run(*triaged->run, context_.stop);
  tried_s_ += Seconds(context_.deps.clock.Now() - start);
  ++tried_;
  if (!outcome.ok()) {
    return Blame(outcome.status());
  }
  TW_RETURN_IF_ERROR(Account(triaged->report, *outcome));
  if (outcome->kind == OutcomeKind::kMeasured) {
    Keep(*std::move(triaged->run));
  }
  return OkStatus();
}

Status MeasurePhase::Account(const CandidateReport& before, const BenchmarkOutcome& outcome) {
  if (outcome.kind == OutcomeKind::kMeasured && !outcome.measurement) {
    return {StatusCode::kInternal, "the benchmarker gave a measured outcome without a measurement"};
  }
  times_.verify_s += outcome.verify_seconds;
  times_.measure_s += outcome.measure_seconds;
  return log_.Add(WithOutcome(before, outcome));
}

// Machine code of those only that are likely to be measured again.
void MeasurePhase::Keep(CandidateRun run) {
  std::string id = run.candidate_id;
  kernels_.insert_or_assign(std::move(id), std::move(run));
  const std::vector<std::string> fastest = EntrantsNow();
  std::erase_if(kernels_, [&](const auto& entry) {
    return std::find(fastest.begin(), fastest.end(), entry.first) == fastest.end();
  });
}

// Compiles a finalist whose machine code is not at hand: measured by an earlier attempt. False:
// it does not compile any more, and the log says so.
Result<bool> MeasurePhase::MakeReady(const std::string& candidate_id) {
  if (kernels_.contains(candidate_id)) {
    return true;
  }
  CandidateReport report = *log_.Find(candidate_id);
  Result<CompiledKernel> kernel = context_.Compile(report.config);
  if (kernel.ok()) {
    CountCompilation(*kernel);
    kernels_[candidate_id] = {.candidate_id = candidate_id,
                              .kernel = *std::move(kernel),
                              .launch = context_.Launch(report.config)};
    return true;
  }
  const Status& status = kernel.status();
  if (status.code() == StatusCode::kCancelled || status.code() == StatusCode::kUnavailable) {
    return Blame(status);
  }
  report.kind = OutcomeKind::kCompileError;
  report.rule = "recompile";
  report.detail = status.message();
  report.measurement.reset();
  TW_RETURN_IF_ERROR(log_.Add(report));
  return false;
}

Result<std::vector<CandidateRun>> MeasurePhase::MakeAllReady(const std::vector<std::string>& ids) {
  std::vector<CandidateRun> runs;
  for (const std::string& id : ids) {
    TW_ASSIGN_OR_RETURN(const bool ready, MakeReady(id));
    if (ready) {
      runs.push_back(kernels_.at(id));
    }
  }
  return runs;
}

// False: one of them failed and took the others' turns with it.
Result<bool> MeasurePhase::RunInTurns(const std::vector<CandidateRun>& runs, int rounds) {
  if (session_ == nullptr) {  // all measured by an earlier attempt
    TW_RETURN_IF_ERROR(CompileSupportAndOpen());
  }
  const Result<std::vector<BenchmarkOutcome>> outcomes =
      session_->RunInterleaved(runs, rounds, context_.stop);
  if (!outcomes.ok()) {
    return Blame(outcomes.status());
  }
  TW_CHECK(outcomes->size() == runs.size());
  bool complete = true;
  quiet_ = true;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const BenchmarkOutcome& outcome = (*outcomes)[i];
    complete = complete && outcome.kind != OutcomeKind::kSkipped;
    quiet_ = quiet_ && outcome.kind != OutcomeKind::kDisturbed;
    if (outcome.kind == OutcomeKind::kDisturbed || outcome.kind == OutcomeKind::kSkipped) {
      continue;  // the first measurement stands
    }
    const CandidateReport before = *log_.Find(runs[i].candidate_id);
    TW_RETURN_IF_ERROR(Account(before, outcome));
  }
  return complete;
}

// Those that are still measured, fastest first.
std::vector<std::string> MeasurePhase::Survivors(const std::vector<CandidateRun>& runs) const {
  std::vector<std::string> ids;
  ids.reserve(runs.size());
  for (const CandidateRun& run : runs) {
    ids.push_back(run.candidate_id);
  }
  return FastestMeasured(ReportsOf(ids), ids.size());
}

// The survivors of one heat, fastest first.
Result<std::vector<std::string>> MeasurePhase::RunHeat(std::vector<std::string> ids, int rounds) {
  for (;;) {
    TW_ASSIGN_OR_RETURN(const std::vector<CandidateRun> runs, MakeAllReady(ids));
    if (runs.empty()) {
      return std::vector<std::string>();
    }
    TW_ASSIGN_OR_RETURN(const bool complete, RunInTurns(runs, rounds));
    ids = Survivors(runs);
    if (complete || ids.size() == runs.size()) {
      return ids;
    }
  }
}

std::vector<std::string> MeasurePhase::EntrantsNow() const {
  const TuneOptions& options = context_.spec.options;
  const bool all = options.strategy == Strategy::kExhaustive;
  return Entrants(log_.reports(),
                  {.least = static_cast<std::size_t>(options.finalists),
                   .most = all ? static_cast<std::size_t>(options.max_candidates) : kMostEntrants});
}

Status MeasurePhase::Compare() {
  std::vector<std::string> ids = EntrantsNow();
  const Heat heat{.entrants = ids.size(), .rounds = kFirstHeatRounds};
  if (compared_ || ids.size() < 2 || !FitsBeforeTheFinal(heat)) {
    return OkStatus();
  }
  TW_RETURN_IF_ERROR(RunHeat(std::move(ids), heat.rounds).status());
  compared_ = true;
  return OkStatus();
}

Heat MeasurePhase::Final() const {
  return {.entrants = static_cast<std::size_t>(context_.spec.options.finalists),
          .rounds = context_.spec.options.final_rounds};
}

double MeasurePhase::FastestNs() const {
  const std::vector<std::string> fastest = FastestMeasured(log_.reports(), 1);
  return fastest.empty() ? 0 : log_.Find(fastest.front())->measurement->median_ns;
}

// Kept for the final round; of something very slow the search needs most.
double MeasurePhase::SecondsForTheFinal() const {
  constexpr double kMostOfBudget = 1.0 / 3;
  return std::min(HeatSeconds(Final(), FastestNs()),
                  kMostOfBudget * Seconds(context_.spec.options.budget));
}

bool MeasurePhase::FitsBeforeTheFinal(const Heat& heat) const {
  return HeatSeconds(heat, FastestNs()) + SecondsForTheFinal() <= context_.SecondsLeft();
}

// Another candidate like those before would take the time that the final needs.
bool MeasurePhase::IsTimeForTheFinal() const {
  if (!log_.anything_measured()) {
    return false;
  }
  const double each = tried_ == 0 ? 0 : tried_s_ / tried_;
  return each + SecondsForTheFinal() >= context_.SecondsLeft();
}

// The survivors of all heats.
Result<std::vector<std::string>> MeasurePhase::RunHeats() {
  TW_RETURN_IF_ERROR(Compare());
  std::vector<std::string> ids = EntrantsNow();
  for (const Heat& heat : HeatsBefore(Final())) {
    const bool last = heat.entrants == Final().entrants;
    if (!last && (ids.size() <= Final().entrants || !FitsBeforeTheFinal(heat))) {
      continue;
    }
    ids.resize(std::min(ids.size(), heat.entrants));
    const int rounds = RoundsThatFit({.entrants = ids.size(), .rounds = heat.rounds}, FastestNs(),
                                     context_.SecondsLeft());
    cut_short_ = rounds == 0;
    if (cut_short_) {
      TW_ASSIGN_OR_RETURN(const std::vector<CandidateRun> ready, MakeAllReady(ids));
      return Survivors(ready);
    }
    TW_ASSIGN_OR_RETURN(ids, RunHeat(std::move(ids), rounds));
  }
  return ids;
}

std::vector<CandidateReport> MeasurePhase::ReportsOf(const std::vector<std::string>& ids) const {
  std::vector<CandidateReport> reports;
  reports.reserve(ids.size());
  for (const std::string& id : ids) {
    reports.push_back(*log_.Find(id));
  }
  return reports;
}

// Those that the longer look leaves; the ones that parted are no finalists any more.
Result<std::vector<std::string>> MeasurePhase::RunPlayoffs(std::vector<std::string> ids) {
  int rounds = Final().rounds;
  for (int playoff = 0; playoff < kMostPlayoffs && !ids.empty(); ++playoff) {
    std::vector<std::string> tied = Overlapping(ReportsOf(ids));
    rounds *= 2;
    const Heat heat{.entrants = tied.size(), .rounds = rounds};
    if (!quiet_ || tied.size() < 2 || HeatSeconds(heat, FastestNs()) > context_.SecondsLeft()) {
      break;
    }
    TW_ASSIGN_OR_RETURN(ids, RunHeat(std::move(tied), rounds));
  }
  return ids;
}

Result<std::vector<CandidateReport>> MeasurePhase::FinalRound() {
  std::vector<CandidateReport> finalists;
  log_.Begin(TunePhase::kFinal);
  while (finalists.empty() && !FastestMeasured(log_.reports(), 1).empty()) {
    TW_ASSIGN_OR_RETURN(std::vector<std::string> ids, RunHeats());
    if (!cut_short_) {
      TW_ASSIGN_OR_RETURN(ids, RunPlayoffs(std::move(ids)));
    }
    finalists = ReportsOf(ids);
  }
  return finalists;
}

const std::string& MeasurePhase::CompilerOf(const std::string& candidate_id) const {
  return kernels_.at(candidate_id).kernel.compiler;
}

}  // namespace tw
