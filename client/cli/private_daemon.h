// The on-demand daemon of a user's store: found by its socket, or started. It outlives the
// command that started it and ends by itself when it has been idle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "client/cli/daemon_paths.h"
#include "codegen/core/status.h"

namespace tw::cli {

struct PrivateDaemonSpec {
  std::string binary;  // tilewrightd
  std::string store;   // from StorePath
  DaemonPaths paths;
  std::vector<std::string> arguments;  // beyond --listen, --store, --idle-exit and --ready-fd
  unsigned uid = 0;
  int idle_exit_s = 60;
  std::chrono::milliseconds start_limit{30'000};
  // A daemon that is just ending holds the store a little longer than its socket.
  std::chrono::milliseconds store_limit{10'000};
};

struct RunningDaemon {
  std::string address;         // "unix:/…"
  bool other_options = false;  // it was there before, started with other arguments than these
};

// True where something accepts connections on the Unix socket.
bool SocketAnswers(const std::string& socket);

// Connects, else takes the spawn lock, looks again and starts a daemon; callers that come at the
// same time wait for the lock and then find it. Statuses:
// FailedPrecondition  the daemon refused its configuration, or cannot be started at all
// Aborted             a daemon that listens elsewhere holds the store
// Unavailable         it ended or was not ready in time; the message carries its last log lines
// Cancelled           `stop` was requested
Result<RunningDaemon> EnsureDaemon(const PrivateDaemonSpec& spec, const std::stop_token& stop);

}  // namespace tw::cli
