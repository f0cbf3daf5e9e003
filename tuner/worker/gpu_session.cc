#include "tuner/worker/gpu_session.h"

#include <algorithm>
#include <utility>

#include "tuner/worker/convert.h"

namespace tw {
namespace {

using std::chrono::milliseconds;

constexpr int kAttempts = 2;  // of a candidate over which a worker died
constexpr int kOpenAttempts = 3;
// Of a comparison with the vendor's library, beyond what its contestants take: the library is large
// to load, and a disturbed device is waited for.
constexpr std::chrono::seconds kLibraryLimit{60};
constexpr std::size_t kMostContestants = 64;
constexpr const char* kHang = "hang";
constexpr const char* kWorkerDied = "worker_died";
constexpr const char* kWorkerFailed = "worker_failed";
constexpr const char* kSticky = "sticky_cuda_error";

BenchmarkOutcome Failure(OutcomeKind kind, const char* rule, std::string detail) {
  BenchmarkOutcome outcome;
  outcome.kind = kind;
  outcome.rule = rule;
  outcome.detail = std::move(detail);
  return outcome;
}

// Another worker would say the same: the problem, not the device, is at fault.
bool IsFinal(StatusCode code) {
  switch (code) {
    case StatusCode::kInvalidArgument:
    case StatusCode::kNotFound:
    case StatusCode::kFailedPrecondition:
    case StatusCode::kResourceExhausted:
    case StatusCode::kUnimplemented:
    case StatusCode::kCancelled:
      return true;
    default:
      return false;
  }
}

// The outcome of a candidate whose error has spoilt the worker's context.
BenchmarkOutcome StickyFailure(const std::vector<BenchmarkOutcome>& outcomes) {
  const auto crashed = std::find_if(outcomes.begin(), outcomes.end(), [](const auto& outcome) {
    return outcome.kind == OutcomeKind::kCrashed;
  });
  BenchmarkOutcome failure =
      crashed == outcomes.end() ? Failure(OutcomeKind::kCrashed, kSticky, "") : *crashed;
  failure.rule = kSticky;
  failure.measurement.reset();
  return failure;
}

}  // namespace

std::vector<std::string> EnvironmentFor(const std::string& uuid) {
  return {"CUDA_VISIBLE_DEVICES=" + uuid};
}

std::vector<std::string> GpuWorkerArgs(const GpuPoolOptions& options) {
  std::vector<std::string> args = {"--role=gpu"};
  args.insert(args.end(), options.extra_args.begin(), options.extra_args.end());
  return args;
}

GpuSession::GpuSession(std::shared_ptr<GpuPoolCore> core,
                       std::unique_ptr<DeviceLock> lock,
                       BenchmarkJob job)
    : core_(std::move(core)), lock_(std::move(lock)), job_(std::move(job)) {}

Status GpuSession::EnsureOpen(const std::stop_token& stop) {
  Status status;
  for (int attempt = 0; attempt < kOpenAttempts && worker_ == nullptr; ++attempt) {
    status = OpenOnce(stop);
    if (!status.ok() && IsFinal(status.code()))
      return status;
  }
  if (worker_ != nullptr)
    return OkStatus();
  return {StatusCode::kUnavailable,
          "GPU " + job_.device_uuid + " is lost: " + std::to_string(kOpenAttempts) +
              " workers in a row could not open the job: " + status.message()};
}

// Sets worker_ when it succeeds.
Status GpuSession::OpenOnce(const std::stop_token& stop) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<Subprocess> process,
                      core_->spawner.Start({.file = core_->options.worker_path,
                                            .args = GpuWorkerArgs(core_->options),
                                            .environment = EnvironmentFor(job_.device_uuid)}));
  auto worker = std::make_unique<WorkerClient>(std::move(process));
  wire::Request request;
  *request.mutable_open_job() = ToProto(job_);
  TW_ASSIGN_OR_RETURN(const wire::Reply reply,
                      worker->Call(std::move(request), core_->options.open_limit, stop));
  TW_RETURN_IF_ERROR(StatusOf(reply));
  if (!reply.has_open_job())
    return {StatusCode::kDataLoss, "worker: not a reply to open_job"};
  reference_seconds_ = std::max(reference_seconds_, reply.open_job().reference_seconds());
  worker_ = std::move(worker);
  return OkStatus();
}

// The floor, and for each candidate what a slow but honest one may take: it runs twice to be
// verified, which no candidate should need longer for than the naive reference, then is measured;
// in turns twice a round, the warm-up of a sample included.
milliseconds GpuSession::LimitFor(std::size_t candidates, int rounds) const {
  const double each = (4 + 2 * rounds) * reference_seconds_ + 2 * job_.options.max_seconds;
  // Waiting for a quiet device is no hang.
  const std::chrono::duration<double> extra(job_.options.warmup_seconds +
                                            job_.options.max_wait_seconds +
                                            static_cast<double>(candidates) * each);
  return core_->options.run_limit + std::chrono::ceil<milliseconds>(extra);
}

Result<GpuSession::Reaction> GpuSession::Ask(const wire::Request& request,
                                             std::size_t candidates,
                                             const std::stop_token& stop) {
  TW_RETURN_IF_ERROR(EnsureOpen(stop));
  const int rounds = request.has_run_interleaved() ? request.run_interleaved().rounds() : 0;
  const milliseconds limit = LimitFor(candidates, rounds);
  const Result<wire::Reply> reply = worker_->Call(request, limit, stop);
  if (!reply.ok()) {
    worker_.reset();
    return Died(reply.status(), limit);
  }
  Reaction reaction = Read(*reply, candidates);
  if (reaction.failure)
    worker_.reset();
  return reaction;
}

Result<GpuSession::Reaction> GpuSession::Died(const Status& status, milliseconds limit) {
  Reaction reaction;
  switch (status.code()) {
    case StatusCode::kCancelled:
      return status;
    case StatusCode::kDeadlineExceeded:
      reaction.failure = Failure(OutcomeKind::kTimedOut, kHang,
                                 "not done after " + std::to_string(limit.count()) + " ms");
      break;
    default:
      reaction.failure = Failure(OutcomeKind::kCrashed, kWorkerDied, status.message());
  }
  return reaction;
}

GpuSession::Reaction GpuSession::Read(const wire::Reply& reply, std::size_t candidates) {
  Reaction reaction;
  // If the device is at fault, the next worker cannot open the job, and that ends it.
  if (const Status status = StatusOf(reply); !status.ok()) {
    reaction.failure = Failure(OutcomeKind::kCrashed, kWorkerFailed, status.ToString());
    return reaction;
  }
  const auto add = [&](const wire::Outcome& wire_outcome) {
    Result<BenchmarkOutcome> outcome = FromProto(wire_outcome);
    if (outcome.ok())
      reaction.outcomes.push_back(*std::move(outcome));
  };
  if (reply.has_run_candidate())
    add(reply.run_candidate().outcome());
  for (const wire::Outcome& outcome : reply.run_interleaved().outcomes())
    add(outcome);
  if (reply.run_candidate().worker_must_exit() || reply.run_interleaved().worker_must_exit())
    reaction.failure = StickyFailure(reaction.outcomes);
  else if (reaction.outcomes.size() != candidates)
    reaction.failure = Failure(OutcomeKind::kCrashed, kWorkerDied, "worker: a damaged reply");
  return reaction;
}

Result<BenchmarkOutcome> GpuSession::AskTwice(const wire::Request& request,
                                              const std::stop_token& stop) {
  for (int attempt = 1;; ++attempt) {
    TW_ASSIGN_OR_RETURN(Reaction reaction, Ask(request, 1, stop));
    if (!reaction.failure)
      return std::move(reaction.outcomes.front());
    if (attempt == kAttempts || reaction.failure->kind == OutcomeKind::kTimedOut)
      return *std::move(reaction.failure);
  }
}

Result<BenchmarkOutcome> GpuSession::Run(const CandidateRun& candidate, std::stop_token stop) {
  wire::Request request;
  *request.mutable_run_candidate()->mutable_candidate() = ToProto(candidate);
  TW_ASSIGN_OR_RETURN(BenchmarkOutcome outcome, AskTwice(request, stop));
  return Recorded(candidate, std::move(outcome));
}

BenchmarkOutcome GpuSession::Recorded(const CandidateRun& candidate,
                                      BenchmarkOutcome outcome) const {
  const GpuPoolOptions& options = core_->options;
  if (options.repro_dir.empty() || !IsOffence(outcome.kind))
    return outcome;
  const auto folder = core_->repros.Keep(ReproOf(job_, candidate, outcome));
  if (folder.ok())
    outcome.detail += "; repro: " + folder->string();
  else if (options.on_repro_trouble)
    options.on_repro_trouble(folder.status().WithContext("candidate " + candidate.candidate_id));
  return outcome;
}

Result<BaselineReport> GpuSession::CompareWithLibrary(const CandidateRun& ours,
                                                      const BaselineOptions& options,
                                                      std::stop_token stop) {
  TW_RETURN_IF_ERROR(EnsureOpen(stop));
  wire::Request request;
  *request.mutable_compare_with_library()->mutable_ours() = ToProto(ours);
  *request.mutable_compare_with_library()->mutable_options() = ToProto(options);
  const std::chrono::duration<double> sampling(2 * options.max_seconds);
  const milliseconds limit =
      LimitFor(kMostContestants, 0) + kLibraryLimit + std::chrono::ceil<milliseconds>(sampling);
  Result<wire::Reply> reply = worker_->Call(std::move(request), limit, stop);
  const Status status = reply.ok() ? StatusOf(*reply) : reply.status();
  if (!status.ok() && status.code() != StatusCode::kFailedPrecondition)
    worker_.reset();  // whatever it was may have spoilt the context
  TW_RETURN_IF_ERROR(status);
  if (!reply->has_compare_with_library())
    return Status(StatusCode::kDataLoss, "worker: not a reply to compare_with_library");
  return FromProto(reply->compare_with_library().report());
}

Result<std::vector<BenchmarkOutcome>> GpuSession::RunInterleaved(
    std::span<const CandidateRun> candidates, int rounds, std::stop_token stop) {
  std::vector<BenchmarkOutcome> outcomes;
  if (candidates.empty())
    return outcomes;
  wire::Request all;
  all.mutable_run_interleaved()->set_rounds(rounds);
  for (const CandidateRun& candidate : candidates)
    *all.mutable_run_interleaved()->add_candidates() = ToProto(candidate);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    TW_ASSIGN_OR_RETURN(Reaction reaction, Ask(all, candidates.size(), stop));
    if (!reaction.failure)
      return std::move(reaction.outcomes);
    if (reaction.failure->kind == OutcomeKind::kTimedOut)
      break;
  }
  for (const CandidateRun& candidate : candidates) {
    wire::Request one;
    one.mutable_run_interleaved()->set_rounds(rounds);
    *one.mutable_run_interleaved()->add_candidates() = ToProto(candidate);
    TW_ASSIGN_OR_RETURN(BenchmarkOutcome outcome, AskTwice(one, stop));
    outcomes.push_back(Recorded(candidate, std::move(outcome)));
  }
  return outcomes;
}

}  // namespace tw
