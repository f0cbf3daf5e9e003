// Bounded FIFO of tunes, one thread per device. Identical requests in flight share one job.
// Every transition is durable before a client hears of it, so a killed daemon resumes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>

#include "codegen/core/clock.h"
#include "server/operation.h"
#include "server/operation_hub.h"
#include "tuner/store/result_store.h"
#include "tuner/tuner.h"

namespace tw {

// Tuner::Tune, or a fake.
using TuneFunction = std::function<Result<TuneResult>(
    const TuneSpec&, const std::function<void(const TuneProgress&)>&, std::stop_token)>;

// Told outside any lock. `trouble`: a transition could not be stored; the job goes on.
struct JobObserver {
  std::function<void(const Operation&)> changed;
  std::function<void(const std::string& id, const Status&)> trouble;
};

struct JobQueueDeps {
  ResultStore& store;
  OperationHub& hub;
  const Clock& clock;
  TuneFunction tune;
  JobObserver observer;
};

struct JobQueueLimits {
  std::size_t queued = 10'000;
  int attempts = 3;  // starts of one job, over restarts
};

struct Submission {
  TuneSpec spec;        // run_id is set by the queue
  std::string request;  // kept with the job, opaque
  bool retune = false;  // joins only a job that has not started yet
  // Asked when no identical job is in flight, under the queue's lock: a job that ended a moment
  // ago has left its result in the store. Must not call the queue.
  std::function<std::optional<Operation>()> answer;
};

struct JobCounts {
  int queued = 0;
  int running = 0;
};

// Thread-safe.
class JobQueue {
 public:
  explicit JobQueue(JobQueueDeps deps, JobQueueLimits limits = {});
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // ResourceExhausted: the queue or the disk is full. Unavailable: draining. The options of the
  // request that started a job hold for those that join it.
  Result<Operation> Submit(Submission submission);

  // A job of an earlier daemon, under its id. One that has used up its attempts fails when its
  // turn comes.
  void Requeue(JobRecord record, TuneSpec spec);

  // A queued job ends at once, a running one at its next candidate; a finished one stays as it
  // is. NotFound where the id is unknown.
  Result<Operation> Cancel(std::string_view id);

  // No more submissions; running jobs stop at their next candidate and stay queued in the store,
  // where the next daemon finds them. Returns when no job runs.
  void Drain();

  [[nodiscard]] JobCounts counts() const;

 private:
  // Requests of one key that differ in what restricts the winner or in the comparison asked for
  // are different jobs.
  using FlightKey = std::pair<ResultKey, std::string>;

  static FlightKey FlightOf(const TuneSpec& spec);

  struct Job {
    TuneSpec spec;
    FlightKey flight;
    JobRecord record;
    std::stop_source stop;
    bool running = false;
    bool cancelled = false;
  };

  // shared_ptr: held by the lane or its thread, the index by id and the flights.
  using JobPtr = std::shared_ptr<Job>;

  struct Lane {
    std::deque<JobPtr> jobs;
    std::condition_variable wake;
    std::jthread thread;
  };

  [[nodiscard]] JobPtr FindFlightLocked(const FlightKey& flight, bool retune) const;
  void AddLocked(const JobPtr& job);
  void ForgetLocked(const JobPtr& job);
  void ForgetFlightLocked(const JobPtr& job);
  void Work(Lane& lane);
  JobPtr Next(Lane& lane);
  void Run(const JobPtr& job);
  void Conclude(const JobPtr& job, const Result<TuneResult>& result);
  void Finish(Job& job,
              JobState state,
              const Status& error,
              std::shared_ptr<const TuneResult> result);
  void Store(Job& job, JobState state);
  void Publish(const std::string& id, const std::function<void(Operation&)>& change);

  const JobQueueDeps deps_;
  const JobQueueLimits limits_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, JobPtr> jobs_;  // unfinished, by id
  std::multimap<FlightKey, JobPtr> flights_;      // unfinished and not cancelled
  std::size_t queued_ = 0;
  int running_ = 0;
  bool draining_ = false;
  std::map<std::string, std::unique_ptr<Lane>> lanes_;  // by device UUID; "": no GPU
};

}  // namespace tw
