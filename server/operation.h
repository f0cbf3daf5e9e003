// Operation: one tune as its clients see it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "codegen/core/outcome.h"
#include "codegen/core/status.h"
#include "tuner/store/result_store.h"
#include "tuner/tuner.h"

namespace tw {

struct Operation {
  std::string id;  // 32 hex digits; also the job's id in the store and the tune's run_id
  ResultKey key;
  JobState state = JobState::kQueued;
  // Grows with every change and, as it starts at the wall clock's microseconds, also over a
  // restart of the daemon: a watcher may resume with a number from before.
  std::uint64_t seq = 0;
  TuneProgress progress;
  // kSucceeded, except where `empty_problem`. Shared: snapshots are copied at every change.
  std::shared_ptr<const TuneResult> result;
  Status error;  // kFailed
  int attempts = 0;
  std::int64_t created_micros = 0;
  std::int64_t updated_micros = 0;
  bool from_store = false;     // answered without tuning
  bool empty_problem = false;  // m, n or batch is 0: success, nothing to launch
};

inline bool IsFinished(JobState state) {
  return state == JobState::kSucceeded || state == JobState::kFailed ||
         state == JobState::kCancelled;
}

}  // namespace tw
