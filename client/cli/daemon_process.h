// Starting one detached daemon process and waiting until it serves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "codegen/core/status.h"

namespace tw::cli {

struct DaemonCommand {
  std::string binary;
  std::vector<std::string> arguments;  // --ready-fd is added
  std::string log;                     // replaced; the former one becomes log + ".1"
};

struct StartOutcome {
  bool ready = false;
  std::optional<int> exit_status;  // as wait() reports it, where the process ended first
};

// Starts the process in its own session with an empty signal mask, no inherited descriptor but
// the log (stdout, stderr) and the write end of a pipe, and waits for the line "ready" on it.
// Neither ready nor an exit status: time ran out and the process was killed.
// FailedPrecondition where the process cannot be started, Cancelled on `stop` (it goes on).
Result<StartOutcome> StartDaemon(const DaemonCommand& command,
                                 std::chrono::milliseconds limit,
                                 const std::stop_token& stop);

// The last `lines` lines of a file, each with `indent` in front; empty where there is none.
std::string LastLines(const std::string& file, int lines, const std::string& indent);

}  // namespace tw::cli
