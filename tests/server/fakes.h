// Fakes of the seams below the server: store, clock, tune function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/core/clock.h"
#include "codegen/template_store.h"
#include "server/job_queue.h"
#include "tuner/store/result_store.h"

namespace tw {

class FakeClock final : public Clock {
 public:
  [[nodiscard]] std::chrono::nanoseconds Now() const override {
    return std::chrono::microseconds(micros_.load());
  }

  [[nodiscard]] std::int64_t WallMicros() const override { return micros_.load(); }

  void Advance(std::chrono::microseconds by) { micros_ += by.count(); }

 private:
  std::atomic<std::int64_t> micros_{1'700'000'000'000'000};
};

// Outlives the objects above it, as a file outlives a daemon.
class FakeStore final : public ResultStore {
 public:
  Result<bool> PutResult(const TuneResult& result) override {
    const std::lock_guard lock(mutex_);
    const auto it = results_.find(result.key);
    if (it != results_.end() && it->second.state > result.state)
      return false;
    results_.insert_or_assign(result.key, result);
    return true;
  }

  [[nodiscard]] std::optional<TuneResult> Find(const ResultKey& key) const override {
    const std::lock_guard lock(mutex_);
    const auto it = results_.find(key);
    return it == results_.end() ? std::nullopt : std::optional(it->second);
  }

  [[nodiscard]] std::vector<ResultKey> MeasuredKeys(std::string_view device_class) const override {
    const std::lock_guard lock(mutex_);
    return MeasuredKeysOf(results_, device_class);
  }

  Status PutReport(std::string_view run_id, const CandidateReport& report) override {
    const std::lock_guard lock(mutex_);
    reports_[std::string(run_id)].push_back(report);
    return OkStatus();
  }

  [[nodiscard]] Result<std::vector<CandidateReport>> Reports(
      std::string_view run_id) const override {
    std::unique_lock lock(mutex_);
    ++reading_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !reports_held_; });
    const auto it = reports_.find(std::string(run_id));
    return it == reports_.end() ? std::vector<CandidateReport>() : it->second;
  }

  Status PutJob(const JobRecord& job) override {
    const std::lock_guard lock(mutex_);
    if (!job_error_.ok())
      return job_error_;
    for (JobRecord& old : jobs_) {
      if (old.id == job.id) {
        old = job;
        return OkStatus();
      }
    }
    jobs_.push_back(job);
    return OkStatus();
  }

  [[nodiscard]] Result<std::vector<JobRecord>> Jobs() const override {
    const std::lock_guard lock(mutex_);
    return jobs_;
  }

  [[nodiscard]] StoreStats Stats() const override {
    const std::lock_guard lock(mutex_);
    return {static_cast<std::int64_t>(results_.size()), 0, static_cast<std::int64_t>(jobs_.size()),
            0};
  }

  // A disk that does not answer: Reports() waits, and nothing else does.
  void HoldReports(bool held) {
    const std::lock_guard lock(mutex_);
    reports_held_ = held;
    changed_.notify_all();
  }

  // Blocks until somebody has come to Reports().
  void AwaitReading() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reading_ > 0; });
  }

  void FailJobs(Status error) {
    const std::lock_guard lock(mutex_);
    job_error_ = std::move(error);
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable int reading_ = 0;
  bool reports_held_ = false;
  std::map<ResultKey, TuneResult> results_;
  std::map<std::string, std::vector<CandidateReport>> reports_;
  std::vector<JobRecord> jobs_;
  Status job_error_;
};

// A tune that waits until it is let go or stopped, then stores and returns a measured result.
class GatedTune {
 public:
  explicit GatedTune(ResultStore& store) : store_(store) {}

  TuneFunction Function() {
    return [this](const TuneSpec& spec, const auto& observer, std::stop_token stop) {
      return Tune(spec, observer, std::move(stop));
    };
  }

  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

  void Fail(Status error) {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
  }

  // Blocks until `count` tunes have begun.
  void AwaitStarts(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return starts_ >= count; });
  }

  [[nodiscard]] int starts() const {
    const std::lock_guard lock(mutex_);
    return starts_;
  }

  [[nodiscard]] std::vector<std::string> run_ids() const {
    const std::lock_guard lock(mutex_);
    return run_ids_;
  }

 private:
  Result<TuneResult> Tune(const TuneSpec& spec,
                          const std::function<void(const TuneProgress&)>& observer,
                          std::stop_token stop) {
    const std::stop_callback wake(stop, [this] {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
    {
      std::unique_lock lock(mutex_);
      ++starts_;
      run_ids_.push_back(spec.run_id);
      changed_.notify_all();
      changed_.wait(lock, [&] { return open_ || stop.stop_requested(); });
      if (stop.stop_requested())
        return Status(StatusCode::kCancelled, "stopped");
      if (!error_.ok())
        return error_;
    }
    TuneProgress progress;
    progress.phase = TunePhase::kMeasure;
    progress.measured = 1;
    observer(progress);
    TuneResult result;
    result.key = KeyOf(spec);
    result.state = spec.device.uuid.empty() ? RowState::kPredicted : RowState::kMeasured;
    result.winner.candidate_id = "00000000000000aa";
    result.winner.config = {"simt", {{"tile_m", 64}}};
    result.winner.time_ns = 1000;
    result.compiler = "nvrtc 13.0";
    result.template_digest = *TemplateStore().Digest();
    result.run_id = spec.run_id;
    if (auto stored = store_.PutResult(result); !stored.ok())
      return stored.status();
    return result;
  }

  ResultStore& store_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  Status error_;
  int starts_ = 0;
  std::vector<std::string> run_ids_;
};

}  // namespace tw
