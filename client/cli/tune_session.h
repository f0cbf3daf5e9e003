// One tune from request to finished operation, over streams that break and daemons that die.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "client/cli/connection.h"
#include "codegen/core/status.h"

namespace tw::cli {

struct TuneHooks {
  std::function<void(const v1::Operation&)> on_update;  // every state seen, the last one too
  std::function<void(const std::string&)> on_note;      // what went wrong and is being mended
};

struct ReattachPolicy {
  int tries = 3;  // in a row without a new state of the job
  std::chrono::milliseconds backoff{200};
};

// A version 4 UUID.
std::string NewRequestId();

// Starts (or joins) the job and follows it to its end, re-attaching by name where the stream
// breaks. A job that the server no longer knows is started again. Returns the finished operation,
// whatever its state; Cancelled where `stop` was requested (the job goes on).
// Requires: request.request_id set.
Result<v1::Operation> FollowTune(Connection& connection,
                                 const v1::StartTuneRequest& request,
                                 const TuneHooks& hooks,
                                 const std::stop_token& stop,
                                 const ReattachPolicy& policy = {});

bool IsFinished(const v1::Operation& operation);

}  // namespace tw::cli
