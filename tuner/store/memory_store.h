// ResultStore in memory: tests, and a daemon without a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tuner/store/calibration_store.h"
#include "tuner/store/result_store.h"

namespace tw {

// "Durable" means here: until destruction.
class MemoryStore final : public ResultStore, public CalibrationStore {
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
  Status PutCalibration(const Calibration& calibration) override;
  [[nodiscard]] std::optional<Calibration> FindCalibration(std::string_view device_uuid,
                                                           int driver_version) const override;

 private:
  mutable std::mutex mutex_;
  std::map<ResultKey, TuneResult> results_;
  std::map<std::string, std::vector<CandidateReport>, std::less<>> reports_;
  std::vector<JobRecord> jobs_;
  std::map<std::pair<std::string, int>, Calibration> calibrations_;  // by device and driver
};

}  // namespace tw
