// What becomes of a tune request: the same operation as before, an answer from the store, a
// refusal, or a job.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "server/job_queue.h"
#include "server/operation_hub.h"
#include "server/result_reader.h"
#include "tuner/store/result_store.h"

namespace tw {

struct TuneRequest {
  TuneSpec spec;
  bool retune = false;
  std::string request_id;  // empty: none
  std::string body;        // the serialised request, request_id included
};

struct AdmissionDeps {
  ResultStore& store;
  OperationHub& hub;
  JobQueue& queue;
  const ResultReader& reader;
  Toolchain& toolchain;
  // Inverse of TuneRequest::body, against the devices of today.
  std::function<Result<TuneRequest>(const std::string& body)> decode;
};

// Thread-safe.
class Admission {
 public:
  explicit Admission(AdmissionDeps deps) : deps_(std::move(deps)) {}

  // AlreadyExists       the request_id was used with another body
  // FailedPrecondition  require_measured, no measured row and no GPU
  // Unavailable         no compiler, or stopping
  // ResourceExhausted   queue or disk full
  Result<Operation> Start(TuneRequest request);

  // Takes over the jobs of earlier daemons: finished ones can be named again, the others are
  // queued under their id. Call once, before the first Start. Returns how many were queued.
  Result<int> Resume();

 private:
  struct Remembered {
    std::string body_digest;
    std::string operation_id;
  };

  Result<Operation> Admit(TuneRequest& request);
  std::optional<Operation> FromStore(const TuneSpec& spec) const;
  Operation Answer(Operation operation) const;
  void Remember(const TuneRequest& request, const std::string& operation_id);
  Result<TuneSpec> ResumeSpec(const JobRecord& record, Result<TuneRequest> request) const;

  const AdmissionDeps deps_;
  std::mutex mutex_;
  std::unordered_map<std::string, Remembered> remembered_;  // by request_id
  std::deque<std::string> order_;                           // oldest first
};

}  // namespace tw
