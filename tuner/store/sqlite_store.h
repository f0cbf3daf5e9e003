// ResultStore and CalibrationStore in one SQLite file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "tuner/store/calibration_store.h"
#include "tuner/store/result_store.h"

namespace tw {

class SqliteDb;
class StoreLock;

struct SqliteStoreOptions {
  std::int64_t max_bytes = 0;  // of the database file; 0: no limit. Reached = ResourceExhausted
};

class SqliteStore final : public ResultStore, public CalibrationStore {
 public:
  // Creates the directory (0700) and the file (0600) where missing. Statuses:
  // Unavailable         another process has the store open (the message names its pid)
  // FailedPrecondition  another program's file, or a newer schema; the file is left untouched
  // DataLoss            damaged; the message says what to do
  // PermissionDenied    not ours alone to write
  static Result<std::unique_ptr<SqliteStore>> Open(const std::filesystem::path& path,
                                                   SqliteStoreOptions options = {});
  ~SqliteStore() override;

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
  SqliteStore(std::filesystem::path path, StoreLock lock, SqliteDb db);

  Status LoadIndex();
  Status LoadCalibrations();

  std::filesystem::path path_;
  std::unique_ptr<StoreLock> lock_;  // released after the connection is closed
  mutable std::mutex db_mutex_;
  std::unique_ptr<SqliteDb> db_;
  // Find and FindCalibration take this one only: a lookup never waits for the disk.
  mutable std::shared_mutex index_mutex_;
  std::map<ResultKey, TuneResult> index_;
  std::map<std::pair<std::string, int>, Calibration> calibrations_;  // by device and driver
};

}  // namespace tw
