// SPDX-License-Identifier: Apache-2.0
#include "tuner/store/memory_store.h"

#include <algorithm>

namespace tw {

Result<bool> MemoryStore::PutResult(const TuneResult& result) {
  const std::lock_guard lock(mutex_);
  const auto [at, inserted] = results_.try_emplace(result.key, result);
  if (inserted) {
    return true;
  }
  if (!MayReplace(result.state, at->second.state)) {
    return false;
  }
  at->second = result;
  return true;
}

std::optional<TuneResult> MemoryStore::Find(const ResultKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto at = results_.find(key);
  return at == results_.end() ? std::nullopt : std::optional<TuneResult>(at->second);
}

std::vector<ResultKey> MemoryStore::MeasuredKeys(std::string_view device_class) const {
  const std::lock_guard lock(mutex_);
  return MeasuredKeysOf(results_, device_class);
}

Status MemoryStore::PutReport(std::string_view run_id, const CandidateReport& report) {
  const std::lock_guard lock(mutex_);
  std::vector<CandidateReport>& reports = reports_[std::string(run_id)];
  const auto at = std::find_if(reports.begin(), reports.end(), [&](const CandidateReport& known) {
    return known.candidate_id == report.candidate_id;
  });
  if (at == reports.end()) {
    reports.push_back(report);
  } else {
    *at = report;
  }
  return OkStatus();
}

Result<std::vector<CandidateReport>> MemoryStore::Reports(std::string_view run_id) const {
  const std::lock_guard lock(mutex_);
  const auto at = reports_.find(run_id);
  return at == reports_.end() ? std::vector<CandidateReport>() : at->second;
}

Status MemoryStore::PutJob(const JobRecord& job) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(jobs_.begin(), jobs_.end(),
                               [&](const JobRecord& known) { return known.id == job.id; });
  if (at == jobs_.end()) {
    jobs_.push_back(job);
  } else {
    *at = job;
  }
  return OkStatus();
}

Result<std::vector<JobRecord>> MemoryStore::Jobs() const {
  const std::lock_guard lock(mutex_);
  std::vector<JobRecord> jobs = jobs_;
  std::stable_sort(jobs.begin(), jobs.end(), [](const JobRecord& a, const JobRecord& b) {
    return a.created_micros < b.created_micros;
  });
  return jobs;
}

Status MemoryStore::PutCalibration(const Calibration& calibration) {
  const std::lock_guard lock(mutex_);
  calibrations_.insert_or_assign({calibration.device_uuid, calibration.driver_version},
                                 calibration);
  return OkStatus();
}

std::optional<Calibration> MemoryStore::FindCalibration(std::string_view device_uuid,
                                                        int driver_version) const {
  const std::lock_guard lock(mutex_);
  const auto at = calibrations_.find({std::string(device_uuid), driver_version});
  return at == calibrations_.end() ? std::nullopt : std::optional(at->second);
}

StoreStats MemoryStore::Stats() const {
  const std::lock_guard lock(mutex_);
  StoreStats stats;
  stats.results = static_cast<std::int64_t>(results_.size());
  for (const auto& [run_id, reports] : reports_) {
    stats.reports += static_cast<std::int64_t>(reports.size());
  }
  stats.jobs = static_cast<std::int64_t>(jobs_.size());
  return stats;
}

}  // namespace tw
