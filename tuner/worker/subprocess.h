// A child process that is reached over one socket and can always be got rid of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/core/status.h"

namespace tw {

struct SubprocessOptions {
  std::string file = {};                      // executable; not searched for in PATH
  std::vector<std::string> args = {};         // besides those that Start adds
  std::vector<std::string> environment = {};  // "NAME=VALUE", over what is inherited
};

struct ExitState {
  int signal = 0;     // that killed it; 0: it exited by itself
  int exit_code = 0;  // where signal is 0
};

std::string Text(const ExitState& state);  // "killed by signal 9 (KILL)", "exited with code 3"

// Kill() may be called from any thread, the rest from one at a time. The destructor kills and
// reaps; a process that cannot be killed for ten seconds (stuck in a driver) is abandoned.
class Subprocess {
 public:
  // Starts `file ARGS… --fd=3 --parent-pid=PID` with our end's peer as descriptor 3, stdin empty,
  // stdout and stderr on our stderr, every other descriptor closed, default signal handling, in a
  // process group of its own (a terminal's Ctrl-C is the daemon's to handle). Uses posix_spawn:
  // forking a process with threads is not safe. The child asks for a death signal itself, which
  // comes when the *thread* that called Start ends: use a Spawner.
  // Unavailable: it cannot be started.
  static Result<std::unique_ptr<Subprocess>> Start(const SubprocessOptions& options);

  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  // A connected stream socket. A write gives up after ten seconds without a reader.
  [[nodiscard]] int socket() const { return socket_; }

  [[nodiscard]] pid_t pid() const { return pid_; }

  void Kill();  // SIGKILL; harmless when it has ended

  // Reaps it. Nothing when it still runs after `timeout`.
  std::optional<ExitState> Wait(std::chrono::milliseconds timeout);

 private:
  Subprocess(pid_t pid, int pidfd, int socket) : pid_(pid), pidfd_(pidfd), socket_(socket) {}

  pid_t pid_;
  int pidfd_;
  int socket_;
  std::optional<ExitState> state_;  // set once reaped
};

}  // namespace tw
