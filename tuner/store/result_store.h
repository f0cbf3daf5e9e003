// ResultStore seam: winners by key, every candidate's report by run, jobs. One contract test runs
// on every implementation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/core/outcome.h"
#include "codegen/core/status.h"

namespace tw {

enum class JobState : std::uint8_t { kQueued, kRunning, kSucceeded, kFailed, kCancelled };

std::string_view Name(JobState state);
std::optional<JobState> ParseJobState(std::string_view name);

struct JobRecord {
  std::string id;  // operation id, unique
  ResultKey key;
  JobState state = JobState::kQueued;
  int attempts = 0;     // counted when it starts to run
  std::string request;  // opaque to the store: the server's serialised request
  StatusCode error_code = StatusCode::kOk;
  std::string error;  // of a failed job
  std::int64_t created_micros = 0;
  std::int64_t updated_micros = 0;
};

struct StoreStats {
  std::int64_t results = 0, reports = 0, jobs = 0, bytes = 0;
};

// A row is replaced by one of an equal or higher state only.
bool MayReplace(RowState incoming, RowState existing);

// MeasuredKeys over a store's rows in memory.
std::vector<ResultKey> MeasuredKeysOf(const std::map<ResultKey, TuneResult>& results,
                                      std::string_view device_class);

// Thread-safe. Find reads memory only; every Put is durable when it returns.
// Put* : ResourceExhausted when the disk is full, Internal otherwise.
class ResultStore {
 public:
  virtual ~ResultStore() = default;

  // Replaces the row of the same key unless its state is higher (a PREDICTED result never
  // replaces a MEASURED one); the return value says whether it was stored.
  virtual Result<bool> PutResult(const TuneResult& result) = 0;
  [[nodiscard]] virtual std::optional<TuneResult> Find(const ResultKey& key) const = 0;

  // The keys of the measured results of a device class, in their order. Reads memory only.
  [[nodiscard]] virtual std::vector<ResultKey> MeasuredKeys(
      std::string_view device_class) const = 0;

  // One report per (run_id, candidate_id); a later one replaces the earlier. Reports come in the
  // order in which their candidates were first reported.
  virtual Status PutReport(std::string_view run_id, const CandidateReport& report) = 0;
  [[nodiscard]] virtual Result<std::vector<CandidateReport>> Reports(
      std::string_view run_id) const = 0;

  virtual Status PutJob(const JobRecord& job) = 0;
  [[nodiscard]] virtual Result<std::vector<JobRecord>> Jobs() const = 0;  // oldest first

  [[nodiscard]] virtual StoreStats Stats() const = 0;
};

}  // namespace tw
