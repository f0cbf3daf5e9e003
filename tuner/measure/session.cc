// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/session.h"

#include <algorithm>
#include <utility>

#include "tuner/measure/loaded_candidate.h"
#include "tuner/measure/memory_plan.h"
#include "tuner/measure/plausibility.h"

namespace tw {
namespace {

class Stopwatch {
 public:
  explicit Stopwatch(const Clock& clock) : clock_(clock), start_(clock.Now()) {}

  [[nodiscard]] double Seconds() const {
    return std::chrono::duration<double>(clock_.Now() - start_).count();
  }

 private:
  const Clock& clock_;
  std::chrono::nanoseconds start_;
};

}  // namespace

Result<std::unique_ptr<JudgeSession>> JudgeSession::Open(Device& device,
                                                         const Clock& clock,
                                                         const BenchmarkJob& job) {
  if (IsEmpty(job.problem))
    return Status(StatusCode::kInvalidArgument,
                  "the problem is empty: there is nothing to measure");
  std::unique_ptr<JudgeSession> session(new JudgeSession(device, clock, job));
  const Stopwatch watch(clock);
  TW_RETURN_IF_ERROR(session->Allocate(job));
  session->reference_seconds_ = watch.Seconds();
  return session;
}

Status JudgeSession::Allocate(const BenchmarkJob& job) {
  const DeviceSpec& spec = device_.Spec();
  TW_ASSIGN_OR_RETURN(std::int64_t free_bytes, device_.Memory().FreeBytes());
  TW_ASSIGN_OR_RETURN(MemoryPlan plan,
                      PlanMemory(problem_, options_.objective, {free_bytes, spec.l2_bytes}));
  shortest_ns_ = ImpossiblyShortNs(problem_, spec, plan.copies);
  TW_ASSIGN_OR_RETURN(SupportKernels support, SupportKernels::Load(device_, job.support));
  support_ = std::make_unique<SupportKernels>(std::move(support));
  TW_ASSIGN_OR_RETURN(verifier_, Verifier::Open(device_, *support_, problem_,
                                                {.seed = options_.seed,
                                                 .trials = plan.trials,
                                                 .sampled = plan.sampled,
                                                 .check_determinism = job.check_determinism}));
  TW_ASSIGN_OR_RETURN(
      TimedBuffers buffers,
      TimedBuffers::Make(
          device_, *support_, problem_,
          {.copies = plan.copies, .seed = options_.seed, .unread_c = verifier_->unread_c()}));
  buffers_ = std::make_unique<TimedBuffers>(std::move(buffers));
  rig_ = std::make_unique<TimingRig>(device_, clock_, *buffers_, options_);
  return OkStatus();
}

Result<BenchmarkOutcome> JudgeSession::Run(const CandidateRun& run) {
  const Stopwatch verifying(clock_);
  auto loaded = LoadedCandidate::Load(device_, run);
  if (!loaded.ok())
    return Failed("load_refused", loaded.status());
  TW_ASSIGN_OR_RETURN(BenchmarkOutcome outcome, Attributed(Verify(*loaded)));
  const double verify_seconds = verifying.Seconds();
  if (outcome.kind == OutcomeKind::kMeasured) {
    const Stopwatch measuring(clock_);
    const double error_ratio = outcome.error_ratio;
    TW_ASSIGN_OR_RETURN(outcome, Attributed(Measure(*loaded)));
    outcome.error_ratio = std::max(outcome.error_ratio, error_ratio);
    outcome.measure_seconds = measuring.Seconds();
  }
  outcome.verify_seconds = verify_seconds;
  return outcome;
}

Result<BenchmarkOutcome> JudgeSession::Attributed(Result<BenchmarkOutcome> outcome) const {
  if (outcome.ok() || device_.sticky_error() == 0)
    return outcome;
  return Failed("", outcome.status());
}

Result<BenchmarkOutcome> JudgeSession::Verify(const Contestant& candidate) {
  TW_ASSIGN_OR_RETURN(Verdict verdict, verifier_->Check(candidate));
  return Judge(std::move(verdict));
}

Result<BenchmarkOutcome> JudgeSession::Judge(Verdict verdict) {
  BenchmarkOutcome outcome;
  outcome.kind = verdict.kind;
  outcome.rule = std::move(verdict.rule);
  outcome.detail = std::move(verdict.detail);
  outcome.error_ratio = verdict.error_ratio;
  if (outcome.kind == OutcomeKind::kWrongResult) {
    // It may have written anywhere: later candidates must not pay for that.
    TW_RETURN_IF_ERROR(verifier_->Restore());
    TW_RETURN_IF_ERROR(buffers_->Fill());
  }
  return outcome;
}

Result<BenchmarkOutcome> JudgeSession::Measure(const Contestant& candidate) {
  TW_RETURN_IF_ERROR(buffers_->PoisonFirstOutput());
  auto timed = rig_->Measure(candidate);
  if (!timed.ok())
    return Failed("launch_refused", timed.status());
  // What was timed must be right too: back-to-back launches share the workspace.
  TW_ASSIGN_OR_RETURN(Verdict verdict, verifier_->CheckOutput(buffers_->first_output()));
  if (!verdict.ok()) {
    verdict.detail += ", after timing";
    return Judge(std::move(verdict));
  }
  return Accept(*std::move(timed));
}

BenchmarkOutcome JudgeSession::Accept(Timed timed) const {
  BenchmarkOutcome outcome;
  const double median_ns = timed.measurement.median_ns;
  if (median_ns <= 0 || median_ns < shortest_ns_) {
    outcome.kind = OutcomeKind::kLaunchError;
    outcome.rule = "impossible_time";
    outcome.detail = std::to_string(median_ns) + " ns measured, the device needs " +
                     std::to_string(shortest_ns_) + " ns at least";
    return outcome;
  }
  outcome.kind = timed.disturbed.empty() ? OutcomeKind::kMeasured : OutcomeKind::kDisturbed;
  outcome.rule = timed.disturbed;
  outcome.measurement = std::move(timed.measurement);
  return outcome;
}

BenchmarkOutcome JudgeSession::Failed(std::string_view rule, const Status& status) const {
  BenchmarkOutcome outcome;
  if (device_.sticky_error() != 0) {
    outcome.kind = OutcomeKind::kCrashed;
    outcome.rule = "sticky_cuda_error";
  } else {
    outcome.kind = OutcomeKind::kLaunchError;
    outcome.rule = rule;
  }
  outcome.detail = status.message();
  return outcome;
}

// The library need not compute in place, and its tf32 products cut operands off that ours round: it
// is right if it is right on operands that tf32 holds.
Result<BenchmarkOutcome> JudgeSession::VerifyLibrary(const Contestant& algorithm) {
  const bool cuts = problem_.a.type == DType::kTf32;
  TW_ASSIGN_OR_RETURN(Verdict verdict, verifier_->Check(algorithm, {.in_place = false,
                                                                    .exact_operands_only = cuts}));
  if (verdict.ok() && cuts)
    verdict.detail = "judged on operands that tf32 holds exactly; others it cuts off";
  return Judge(std::move(verdict));
}

Baseline JudgeSession::MakeBaseline(const BaselineOptions& options) {
  return {device_, problem_, *rig_,
          [this](const Contestant& contestant) { return VerifyLibrary(contestant); }, options};
}

Result<BaselineReport> JudgeSession::JudgeLibrary(const BaselineOptions& options) {
  return MakeBaseline(options).Judge();
}

Result<BaselineReport> JudgeSession::CompareWithLibrary(const CandidateRun& ours,
                                                        const BaselineOptions& options) {
  TW_ASSIGN_OR_RETURN(LoadedCandidate loaded, LoadedCandidate::Load(device_, ours));
  TW_ASSIGN_OR_RETURN(BenchmarkOutcome outcome, Verify(loaded));
  if (outcome.kind != OutcomeKind::kMeasured) {
    return Status(StatusCode::kFailedPrecondition, "candidate " + ours.candidate_id +
                                                       " is not right: " + outcome.rule + ": " +
                                                       outcome.detail);
  }
  return MakeBaseline(options).Compare(loaded);
}

Result<std::vector<BenchmarkOutcome>> JudgeSession::RunInterleaved(
    std::span<const CandidateRun> runs, int rounds) {
  const Stopwatch measuring(clock_);
  std::vector<BenchmarkOutcome> outcomes(runs.size());
  std::vector<LoadedCandidate> loaded;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto candidate = LoadedCandidate::Load(device_, runs[i]);
    if (candidate.ok()) {
      loaded.push_back(*std::move(candidate));
      positions.push_back(i);
    } else {
      outcomes[i] = Failed("load_refused", candidate.status());
    }
  }
  std::vector<const Contestant*> pointers;
  pointers.reserve(loaded.size());
  for (const LoadedCandidate& candidate : loaded)
    pointers.push_back(&candidate);
  std::vector<Result<Timed>> timed = rig_->MeasureInterleaved(pointers, rounds);
  for (std::size_t i = 0; i < timed.size(); ++i) {
    BenchmarkOutcome& outcome = outcomes[positions[i]];
    if (timed[i].ok()) {
      outcome = Accept(*std::move(timed[i]));
    } else if (timed[i].status().code() == StatusCode::kAborted) {
      outcome.rule = "neighbour_failed";  // skipped
      outcome.detail = timed[i].status().message();
    } else {
      outcome = Failed("launch_refused", timed[i].status());
    }
    outcome.measure_seconds = measuring.Seconds() / static_cast<double>(timed.size());
  }
  return outcomes;
}

}  // namespace tw
