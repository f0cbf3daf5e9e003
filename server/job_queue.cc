// SPDX-License-Identifier: Apache-2.0
#include "server/job_queue.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tw {
namespace {

Operation ToOperation(const JobRecord& record) {
  Operation operation;
  operation.id = record.id;
  operation.key = record.key;
  operation.state = JobState::kQueued;
  operation.attempts = record.attempts;
  operation.created_micros = record.created_micros;
  return operation;
}

}  // namespace

JobQueue::JobQueue(JobQueueDeps deps, JobQueueLimits limits)
    : deps_(std::move(deps)), limits_(limits) {}

JobQueue::FlightKey JobQueue::FlightOf(const TuneSpec& spec) {
  const TuneOptions& options = spec.options;
  std::string variant = options.family;
  if (options.baseline)
    variant.append("|").append(Name(options.regime)).append(options.keep_winner ? "|keep" : "");
  return {KeyOf(spec), std::move(variant)};
}

JobQueue::~JobQueue() {
  Drain();
}

Result<Operation> JobQueue::Submit(Submission submission) {
  FlightKey flight = FlightOf(submission.spec);
  std::unique_lock lock(mutex_);
  if (draining_)
    return Status(StatusCode::kUnavailable, "the daemon is stopping; try again");
  if (const JobPtr job = FindFlightLocked(flight, submission.retune)) {
    if (auto operation = deps_.hub.Find(job->record.id))
      return *std::move(operation);
  }
  if (submission.answer) {
    if (auto operation = submission.answer())
      return *std::move(operation);
  }
  if (queued_ >= limits_.queued)
    return Status(StatusCode::kResourceExhausted,
                  std::to_string(queued_) + " jobs are queued already; try again later");
  auto job = std::make_shared<Job>();
  job->spec = std::move(submission.spec);
  job->flight = std::move(flight);
  job->record.id = OperationHub::NewId();
  job->spec.run_id = job->record.id;
  job->record.key = job->flight.first;
  job->record.request = std::move(submission.request);
  job->record.created_micros = job->record.updated_micros = deps_.clock.WallMicros();
  // Under the lock: an identical request must find either the job or nothing.
  TW_RETURN_IF_ERROR(deps_.store.PutJob(job->record));
  const Operation operation = deps_.hub.Add(ToOperation(job->record));
  AddLocked(job);
  lock.unlock();
  if (deps_.observer.changed)
    deps_.observer.changed(operation);
  return operation;
}

void JobQueue::Requeue(JobRecord record, TuneSpec spec) {
  auto job = std::make_shared<Job>();
  job->flight = FlightOf(spec);
  job->spec = std::move(spec);
  job->spec.run_id = record.id;
  job->record = std::move(record);
  const std::lock_guard lock(mutex_);
  deps_.hub.Add(ToOperation(job->record));
  AddLocked(job);
}

Result<Operation> JobQueue::Cancel(std::string_view id) {
  std::unique_lock lock(mutex_);
  const auto it = jobs_.find(std::string(id));
  if (it == jobs_.end()) {
    lock.unlock();
    if (auto operation = deps_.hub.Find(id))
      return *std::move(operation);
    return Status(StatusCode::kNotFound, "no operation of this name");
  }
  const JobPtr job = it->second;
  job->cancelled = true;
  const bool running = job->running;
  if (running) {
    ForgetFlightLocked(job);  // nobody joins a job that is about to end
  } else {
    std::erase(lanes_.at(job->spec.device.uuid)->jobs, job);
    --queued_;
    ForgetLocked(job);
  }
  lock.unlock();
  if (running)
    job->stop.request_stop();  // runs the tuner's stop callbacks: never under the lock
  else
    Finish(*job, JobState::kCancelled, OkStatus(), nullptr);
  if (auto operation = deps_.hub.Find(id))
    return *std::move(operation);
  return Status(StatusCode::kNotFound, "no operation of this name");
}

void JobQueue::Drain() {
  std::vector<std::jthread> threads;
  std::vector<std::stop_source> running;
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
    for (const auto& [id, job] : jobs_) {
      if (job->running)
        running.push_back(job->stop);
    }
    for (const auto& [uuid, lane] : lanes_) {
      lane->wake.notify_all();
      threads.push_back(std::move(lane->thread));
    }
  }
  for (std::stop_source& stop : running)
    stop.request_stop();
  threads.clear();  // joins
}

JobCounts JobQueue::counts() const {
  const std::lock_guard lock(mutex_);
  return {static_cast<int>(queued_), running_};
}

JobQueue::JobPtr JobQueue::FindFlightLocked(const FlightKey& flight, bool retune) const {
  const auto [begin, end] = flights_.equal_range(flight);
  const auto joinable = std::find_if(
      begin, end, [&](const auto& entry) { return !(retune && entry.second->running); });
  return joinable == end ? nullptr : joinable->second;
}

void JobQueue::AddLocked(const JobPtr& job) {
  jobs_.emplace(job->record.id, job);
  flights_.emplace(job->flight, job);
  auto& lane = lanes_[job->spec.device.uuid];
  if (!lane) {
    lane = std::make_unique<Lane>();
    lane->thread = std::jthread([this, &lane = *lane] { Work(lane); });
  }
  lane->jobs.push_back(job);
  ++queued_;
  lane->wake.notify_one();
}

void JobQueue::ForgetLocked(const JobPtr& job) {
  jobs_.erase(job->record.id);
  ForgetFlightLocked(job);
}

void JobQueue::ForgetFlightLocked(const JobPtr& job) {
  const auto [begin, end] = flights_.equal_range(job->flight);
  const auto it = std::find_if(begin, end, [&](const auto& entry) { return entry.second == job; });
  if (it != end)
    flights_.erase(it);
}

void JobQueue::Work(Lane& lane) {
  while (const JobPtr job = Next(lane))
    Run(job);
}

JobQueue::JobPtr JobQueue::Next(Lane& lane) {
  std::unique_lock lock(mutex_);
  lane.wake.wait(lock, [&] { return draining_ || !lane.jobs.empty(); });
  if (draining_)
    return nullptr;
  JobPtr job = std::move(lane.jobs.front());
  lane.jobs.pop_front();
  job->running = true;
  --queued_;
  ++running_;
  return job;
}

void JobQueue::Run(const JobPtr& job) {
  const std::string& id = job->record.id;
  if (job->record.attempts >= limits_.attempts) {
    Conclude(job, Status(StatusCode::kAborted, "poison job: given up after " +
                                                   std::to_string(job->record.attempts) +
                                                   " attempts that ended with the daemon"));
    return;
  }
  // Counted before the work: a job that kills the daemon is still counted.
  ++job->record.attempts;
  Store(*job, JobState::kRunning);
  Publish(id, [&](Operation& operation) {
    operation.state = JobState::kRunning;
    operation.attempts = job->record.attempts;
  });
  const auto observer = [&](const TuneProgress& progress) {
    deps_.hub.Update(id, [&](Operation& operation) { operation.progress = progress; });
  };
  Conclude(job, deps_.tune(job->spec, observer, job->stop.get_token()));
}

void JobQueue::Conclude(const JobPtr& job, const Result<TuneResult>& result) {
  const bool stopped = !result.ok() && result.status().code() == StatusCode::kCancelled;
  bool put_back = false;
  {
    const std::lock_guard lock(mutex_);
    put_back = stopped && draining_ && !job->cancelled;
    --running_;
    ForgetLocked(job);
  }
  if (put_back) {
    --job->record.attempts;  // it did nothing wrong
    Store(*job, JobState::kQueued);
    Publish(job->record.id, [&](Operation& operation) {
      operation.state = JobState::kQueued;
      operation.attempts = job->record.attempts;
    });
  } else if (result.ok()) {
    Finish(*job, JobState::kSucceeded, OkStatus(), std::make_shared<const TuneResult>(*result));
  } else if (stopped) {
    Finish(*job, JobState::kCancelled, OkStatus(), nullptr);
  } else {
    Finish(*job, JobState::kFailed, result.status(), nullptr);
  }
}

void JobQueue::Finish(Job& job,
                      JobState state,
                      const Status& error,
                      std::shared_ptr<const TuneResult> result) {
  job.record.error_code = error.code();
  job.record.error = error.message();
  Store(job, state);
  Publish(job.record.id, [&](Operation& operation) {
    operation.state = state;
    operation.error = error;
    operation.result = std::move(result);
  });
}

void JobQueue::Store(Job& job, JobState state) {
  job.record.state = state;
  job.record.updated_micros = deps_.clock.WallMicros();
  if (Status status = deps_.store.PutJob(job.record); !status.ok() && deps_.observer.trouble)
    deps_.observer.trouble(job.record.id, status);
}

void JobQueue::Publish(const std::string& id, const std::function<void(Operation&)>& change) {
  const auto operation = deps_.hub.Update(id, change);
  if (operation && deps_.observer.changed)
    deps_.observer.changed(*operation);
}

}  // namespace tw
