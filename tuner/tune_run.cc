// SPDX-License-Identifier: Apache-2.0
#include "tuner/tune_run.h"

#include <algorithm>
#include <utility>

#include "tuner/experience.h"
#include "tuner/measure_phase.h"
#include "tuner/predict_phase.h"
#include "tuner/search/rank.h"
#include "tuner/search/strategy.h"
#include "tuner/triage.h"

namespace tw {
namespace {

double Seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

Status NoFamilyStatus(const Space& space) {
  std::string message = "no kernel family carries the problem on this device";
  for (const auto& [family, reason] : space.unsupported) {
    message.append("; ").append(family).append(": ").append(reason);
  }
  return {StatusCode::kFailedPrecondition, std::move(message)};
}

Status NoSurvivorStatus(const Funnel& funnel) {
  return {StatusCode::kNotFound, "no candidate survived: " + FailureText(funnel)};
}

bool IsFinished(OutcomeKind kind, bool measuring) {
  switch (kind) {
    case OutcomeKind::kMeasured:
    case OutcomeKind::kPruned:
    case OutcomeKind::kCompileError:
    case OutcomeKind::kLaunchError:
    case OutcomeKind::kWrongResult:
    case OutcomeKind::kTimedOut:
    case OutcomeKind::kCrashed:
      return true;
    case OutcomeKind::kCompiled:
      return !measuring;
    case OutcomeKind::kDisturbed:
    case OutcomeKind::kSkipped:
      return false;
  }
  return false;
}

}  // namespace

TuneRun::TuneRun(const TuneContext& context, const TuneObserver& observer, bool measuring)
    : context_(context),
      measuring_(measuring),
      log_(context.deps.store, context.spec.run_id, observer) {}

Result<TuneResult> TuneRun::Execute() {
  TW_RETURN_IF_ERROR(Enumerate());
  TW_RETURN_IF_ERROR(ReuseReports());
  TuneResult result;
  TW_RETURN_IF_ERROR(measuring_ ? Measure(result) : Predict(result));
  TW_RETURN_IF_ERROR(Describe(result));
  TW_ASSIGN_OR_RETURN([[maybe_unused]] const bool replaced, context_.deps.store.PutResult(result));
  log_.Begin(TunePhase::kDone);
  return result;
}

Status TuneRun::Enumerate() {
  log_.Begin(TunePhase::kEnumerate);
  const TuneSpec& spec = context_.spec;
  space_ =
      BuildSpace(context_.families, spec.problem, spec.device, spec.contract, spec.options.family);
  if (space_.enumerated == 0) {
    return NoFamilyStatus(space_);
  }
  if (space_.candidates.empty()) {
    return NoSurvivorStatus(BuildFunnel(space_, 0, {}));
  }
  legal_ = static_cast<std::int64_t>(space_.candidates.size());
  RankCandidates(spec.problem, spec.device, space_.candidates);
  ranked_ = std::exchange(space_.candidates, {});
  log_.SetTotal(static_cast<int>(std::min<std::int64_t>(legal_, spec.options.max_candidates)));
  enumerate_s_ = Seconds(context_.deps.clock.Now() - context_.start);
  return OkStatus();
}

Status TuneRun::ReuseReports() {
  if (context_.spec.run_id.empty()) {
    return OkStatus();
  }
  TW_ASSIGN_OR_RETURN(const std::vector<CandidateReport> stored,
                      context_.deps.store.Reports(context_.spec.run_id));
  for (const CandidateReport& report : stored) {
    if (IsReusable(report)) {
      log_.Reuse(report);
    }
  }
  return OkStatus();
}

// A report counts only while the source that it speaks of is what would be compiled today.
bool TuneRun::IsReusable(const CandidateReport& report) const {
  const bool legal = std::any_of(ranked_.begin(), ranked_.end(), [&](const Candidate& candidate) {
    return candidate.id == report.candidate_id;
  });
  if (!legal || !IsFinished(report.kind, measuring_)) {
    return false;
  }
  const Result<KernelSource> source = context_.Source(report.config);
  return source.ok() && source->digest == report.artifact_digest;
}

StrategyOptions TuneRun::Choosing() const {
  const TuneOptions& options = context_.spec.options;
  return {.strategy = options.strategy,
          .max_candidates = options.max_candidates,
          .seed = options.seed,
          .experience = experience_};
}

KnownTimes TuneRun::Known() const {
  KnownTimes known;
  for (const CandidateReport& report : log_.reports()) {
    const bool measured = report.kind == OutcomeKind::kMeasured && report.measurement;
    known[report.candidate_id] =
        measured ? std::optional(report.measurement->median_ns) : std::nullopt;
  }
  return known;
}

std::vector<Candidate> TuneRun::Unfinished(const std::vector<Candidate>& batch) const {
  std::vector<Candidate> unfinished;
  for (const Candidate& candidate : batch) {
    if (log_.Find(candidate.id) == nullptr && !log_.Quarantined(candidate.config.family)) {
      unfinished.push_back(candidate);
    }
  }
  return unfinished;
}

// Every candidate that was chosen has a report in the end.
Status TuneRun::ReportSkipped(const std::vector<Candidate>& batch) {
  for (const Candidate& candidate : batch) {
    if (log_.Find(candidate.id) != nullptr) {
      continue;
    }
    CandidateReport report = InitialReport(candidate);
    const bool quarantined = log_.Quarantined(candidate.config.family);
    report.rule = quarantined ? kSkippedByQuarantine : kSkippedByBudget;
    partial_ = partial_ || !quarantined;
    TW_RETURN_IF_ERROR(log_.Add(report));
  }
  return OkStatus();
}

// What is chosen next depends on how the ones before did against each other, hot.
Status TuneRun::SearchInBatches(MeasurePhase& phase) {
  const StrategyOptions choosing = Choosing();
  for (;;) {
    const std::vector<Candidate> batch = NextBatch(ranked_, Known(), choosing);
    if (batch.empty()) {
      return OkStatus();
    }
    TW_RETURN_IF_ERROR(phase.Search(Unfinished(batch)));
    TW_RETURN_IF_ERROR(ReportSkipped(batch));
    TW_RETURN_IF_ERROR(phase.Compare());
  }
}

Status TuneRun::Measure(TuneResult& result) {
  experience_ = GatherExperience(context_, ranked_);
  MeasurePhase phase(context_, log_);
  TW_RETURN_IF_ERROR(SearchInBatches(phase));
  TW_ASSIGN_OR_RETURN(const std::vector<CandidateReport> finalists, phase.FinalRound());
  result.phases = phase.times();
  partial_ = partial_ || phase.cut_short();
  if (finalists.empty()) {
    return NoSurvivorStatus(MakeFunnel());
  }
  const Choice choice = ChooseMeasured(finalists);
  const CandidateReport& winner = finalists[choice.winner];
  const Measurement& measurement = *winner.measurement;
  result.state = RowState::kMeasured;
  SetWinner(winner, choice, result);
  result.winner.time_ns = measurement.median_ns;
  result.winner.ci_low_ns = measurement.ci_low_ns;
  result.winner.ci_high_ns = measurement.ci_high_ns;
  result.conditions = measurement.conditions;
  result.compiler = phase.CompilerOf(winner.candidate_id);
  result.funnel = MakeFunnel();
  result.funnel["finalists"] = static_cast<std::int64_t>(finalists.size());
  return OkStatus();
}

Status TuneRun::Predict(TuneResult& result) {
  // Without times there is nothing to adapt to: one choice.
  const StrategyOptions choosing = Choosing();
  const std::vector<Candidate> chosen =
      choosing.strategy == Strategy::kExhaustive
          ? NextBatch(ranked_, {}, choosing)
          : SelectCandidates(ranked_, choosing.max_candidates, choosing.seed);
  TW_ASSIGN_OR_RETURN(const Predictions predictions,
                      CompileAndPredict(context_, log_, Unfinished(chosen)));
  result.phases = predictions.times;
  TW_RETURN_IF_ERROR(ReportSkipped(chosen));
  std::vector<CandidateReport> compiled;
  for (const CandidateReport& report : log_.reports()) {
    if (report.kind == OutcomeKind::kCompiled) {
      compiled.push_back(report);
    }
  }
  result.funnel = MakeFunnel();
  if (compiled.empty()) {
    return NoSurvivorStatus(result.funnel);
  }
  const Choice choice = ChoosePredicted(compiled);
  const CandidateReport& winner = compiled[choice.winner];
  result.state = RowState::kPredicted;
  SetWinner(winner, choice, result);
  result.winner.time_ns = result.winner.ci_low_ns = result.winner.ci_high_ns = winner.predicted_ns;
  result.compiler = predictions.compiler;
  if (result.compiler.empty()) {  // all by an earlier attempt
    TW_ASSIGN_OR_RETURN(const CompiledKernel kernel, context_.Compile(winner.config));
    result.compiler = kernel.compiler;
  }
  return OkStatus();
}

void TuneRun::SetWinner(const CandidateReport& report,
                        const Choice& choice,
                        TuneResult& result) const {
  result.winner.candidate_id = report.candidate_id;
  result.winner.config = report.config;
  result.winner.source_digest = report.artifact_digest;
  result.winner.launch = context_.Launch(report.config);
  result.winner.error_ratio = report.error_ratio;
  result.ties = choice.ties;
}

std::int64_t TuneRun::SeedsTried() const {
  return std::count_if(experience_.seeds.begin(), experience_.seeds.end(),
                       [&](const std::string& id) { return log_.Find(id) != nullptr; });
}

Funnel TuneRun::MakeFunnel() const {
  Funnel funnel = BuildFunnel(space_, legal_, log_.reports());
  if (log_.reused() > 0) {
    funnel["reused"] = log_.reused();
  }
  if (const std::int64_t seeded = SeedsTried(); seeded > 0) {
    funnel["seeded"] = seeded;
  }
  return funnel;
}

Status TuneRun::Describe(TuneResult& result) const {
  const TuneSpec& spec = context_.spec;
  TW_ASSIGN_OR_RETURN(result.template_digest, context_.deps.templates.Digest());
  result.key = KeyOf(spec);
  result.partial = partial_;
  result.device_uuid = spec.device.uuid;
  result.device_name = spec.device.name;
  result.driver_version = spec.device.driver_version;
  result.run_id = spec.run_id;
  result.created_micros = context_.deps.clock.WallMicros();
  result.phases.enumerate_s = enumerate_s_;
  result.phases.total_s = Seconds(context_.deps.clock.Now() - context_.start);
  return OkStatus();
}

}  // namespace tw
