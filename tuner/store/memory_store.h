// ResultStore in memory: tests, and a daemon without a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tuner/store/result_store.h"

namespace tw {

// "Durable" means here: until destruction.
class MemoryStore final : public ResultStore {
 public:
  Result<bool> PutResult(const TuneResult& result) override;
  [[nodiscard]] std::optional<TuneResult> Find(const ResultKey& key) const override;
  [[nodiscard]] std::vector<ResultKey> MeasuredKeys(std::string_view device_class) const override;
  Status PutReport(std::string_view run_id, const CandidateReport& report) override;
  [[nodiscard]] Result<std::vector<CandidateReport>> Reports(
      std::string_view run_id) const override;
  Status PutJob(const JobRecord& job) override;
  [[nodiscard]] Result<std::vector<JobRecord>> Jobs() const override;
  [[nodiscard]] StoreStats Stats() const override;

 private:
  mutable std::mutex mutex_;
  std::map<ResultKey, TuneResult> results_;
  std::map<std::string, std::vector<CandidateReport>, std::less<>> reports_;
  std::vector<JobRecord> jobs_;
};

}  // namespace tw
