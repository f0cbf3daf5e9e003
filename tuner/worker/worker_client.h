// One request and one reply at a time with a worker process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>

#include "tilewright/worker/v1/worker.pb.h"
#include "tuner/worker/subprocess.h"

namespace tw {

class WorkerClient {
 public:
  explicit WorkerClient(std::unique_ptr<Subprocess> process) : process_(std::move(process)) {}

  // Sends `request` and waits for its reply, whose own status is the caller's to look at. After a
  // failure the process is dead and the client of no more use:
  // Cancelled         `stop` was requested
  // DeadlineExceeded  no reply within `limit`
  // Unavailable       it died: exit_state() says how, the message too
  // DataLoss          what it sent is no reply to this request
  Result<tilewright::worker::v1::Reply> Call(tilewright::worker::v1::Request request,
                                             std::chrono::milliseconds limit,
                                             const std::stop_token& stop);

  // How it ended; nothing while it lives or where it cannot be reaped.
  [[nodiscard]] const std::optional<ExitState>& exit_state() const { return exit_state_; }

  [[nodiscard]] int calls() const { return calls_; }

 private:
  Status Exchange(const tilewright::worker::v1::Request& request,
                  tilewright::worker::v1::Reply* reply,
                  std::chrono::milliseconds limit);
  Status Bury(const Status& status);

  std::unique_ptr<Subprocess> process_;
  std::optional<ExitState> exit_state_;
  int calls_ = 0;
};

}  // namespace tw
