// SPDX-License-Identifier: Apache-2.0
#include "server/admission.h"

#include <memory>
#include <utility>

#include "codegen/core/digest.h"

namespace tw {
namespace {

constexpr std::size_t kRememberedRequests = 20'000;

bool HasGpu(const TuneSpec& spec) {
  return !spec.device.uuid.empty();
}

// Whether the row lacks the comparison that is asked for. Without a GPU none can be made.
bool LacksBaseline(const TuneResult& stored, const TuneSpec& spec) {
  const TuneOptions& wanted = spec.options;
  return HasGpu(spec) && wanted.baseline &&
         (wanted.keep_winner || !stored.baseline || stored.baseline->regime != wanted.regime);
}

// Whether the row is an answer, so that there is nothing to tune.
bool Serves(const StoredResult& stored, const TuneSpec& spec) {
  if (!spec.options.family.empty() && stored.result.winner.config.family != spec.options.family)
    return false;
  const RowState state = stored.result.state;
  if (LacksBaseline(stored.result, spec))
    return false;
  if (state == RowState::kMeasured)
    return true;
  if (HasGpu(spec) || spec.options.require_measured)
    return false;
  // Without a GPU a prediction cannot improve on what was once measured.
  return state != RowState::kPredicted || stored.current;
}

Operation FinishedOperation(const JobRecord& job, const ResultStore& store) {
  Operation operation;
  operation.id = job.id;
  operation.key = job.key;
  operation.state = job.state;
  operation.attempts = job.attempts;
  operation.created_micros = job.created_micros;
  operation.updated_micros = job.updated_micros;
  if (job.state == JobState::kFailed)
    operation.error = Status(job.error_code, job.error);
  if (job.state == JobState::kSucceeded) {
    if (auto result = store.Find(job.key))
      operation.result = std::make_shared<const TuneResult>(*std::move(result));
  }
  return operation;
}

}  // namespace

Result<Operation> Admission::Start(TuneRequest request) {
  if (request.request_id.empty())
    return Admit(request);
  // Held to the end: two calls with one id at the same time are one.
  const std::lock_guard lock(mutex_);
  if (const auto it = remembered_.find(request.request_id); it != remembered_.end()) {
    if (it->second.body_digest != Sha256Hex(request.body))
      return Status(StatusCode::kAlreadyExists,
                    "request_id = " + request.request_id + ": used before with another request",
                    "request_id");
    if (auto operation = deps_.hub.Find(it->second.operation_id))
      return *std::move(operation);
  }
  auto operation = Admit(request);
  if (operation.ok())
    Remember(request, operation->id);
  return operation;
}

Result<Operation> Admission::Admit(TuneRequest& request) {
  const TuneSpec& spec = request.spec;
  if (IsEmpty(spec.problem)) {
    Operation operation;
    operation.key = KeyOf(spec);
    operation.empty_problem = true;
    return Answer(std::move(operation));
  }
  TW_RETURN_IF_ERROR(deps_.toolchain.Refresh());
  if (!request.retune) {
    if (auto operation = FromStore(spec))
      return *std::move(operation);
  }
  if (spec.options.require_measured && !HasGpu(spec))
    return Status(StatusCode::kFailedPrecondition,
                  "require_measured = true: no GPU here and no measured result in the store",
                  "require_measured");
  if (deps_.toolchain.compiler().version.empty())
    return Status(StatusCode::kUnavailable, "no compiler: " + deps_.toolchain.compiler().note);
  Submission submission;
  submission.spec = spec;
  submission.request = request.body;
  submission.retune = request.retune;
  if (!request.retune)
    submission.answer = [this, &spec] { return FromStore(spec); };
  return deps_.queue.Submit(std::move(submission));
}

std::optional<Operation> Admission::FromStore(const TuneSpec& spec) const {
  auto stored = deps_.reader.Find(KeyOf(spec));
  if (!stored || !Serves(*stored, spec))
    return std::nullopt;
  Operation operation;
  operation.key = stored->result.key;
  if (spec.options.baseline)  // with a GPU it has one, or it would not serve
    SayNoBaseline(stored->result);
  operation.result = std::make_shared<const TuneResult>(std::move(stored->result));
  operation.from_store = true;
  return Answer(std::move(operation));
}

Operation Admission::Answer(Operation operation) const {
  operation.id = OperationHub::NewId();
  operation.state = JobState::kSucceeded;
  operation.progress.phase = TunePhase::kDone;
  return deps_.hub.Add(std::move(operation));
}

void Admission::Remember(const TuneRequest& request, const std::string& operation_id) {
  const auto [it, added] = remembered_.insert_or_assign(
      request.request_id, Remembered{Sha256Hex(request.body), operation_id});
  if (added)
    order_.push_back(request.request_id);
  if (order_.size() > kRememberedRequests) {
    remembered_.erase(order_.front());
    order_.pop_front();
  }
}

Result<int> Admission::Resume() {
  TW_ASSIGN_OR_RETURN(std::vector<JobRecord> jobs, deps_.store.Jobs());
  int queued = 0;
  const std::lock_guard lock(mutex_);
  for (JobRecord& job : jobs) {
    auto request = deps_.decode(job.request);
    if (request.ok() && !request->request_id.empty())
      Remember(*request, job.id);
    if (IsFinished(job.state)) {
      deps_.hub.Add(FinishedOperation(job, deps_.store));
      continue;
    }
    auto spec = ResumeSpec(job, std::move(request));
    if (spec.ok()) {
      deps_.queue.Requeue(std::move(job), *std::move(spec));
      ++queued;
      continue;
    }
    job.state = JobState::kFailed;
    job.error_code = spec.status().code();
    job.error = spec.status().message();
    TW_RETURN_IF_ERROR(deps_.store.PutJob(job));
    deps_.hub.Add(FinishedOperation(job, deps_.store));
  }
  return queued;
}

Result<TuneSpec> Admission::ResumeSpec(const JobRecord& record, Result<TuneRequest> request) const {
  if (!request.ok())
    return request.status().WithContext("cannot be resumed");
  if (KeyOf(request->spec) != record.key)
    return Status(
        StatusCode::kFailedPrecondition,
        "cannot be resumed: this daemon has no device of class " + record.key.device_class);
  return std::move(*request).spec;
}

}  // namespace tw
