// The daemon's object graph: built in one place, torn down in reverse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "codegen/core/status.h"
#include "server/config.h"
#include "server/listen_address.h"
#include "server/log.h"

namespace tw {

class Daemon {
 public:
  // Opens the store, finds devices and compiler, resumes jobs, serves. Without GPU, compiler or
  // both it serves what is left. Unavailable or Aborted: another daemon has the store or the
  // socket. `log` outlives the daemon.
  static Result<std::unique_ptr<Daemon>> Start(const Config& config, const Log& log);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  [[nodiscard]] const std::vector<ListenAddress>& addresses() const;

  // How long there has been no job and no call.
  [[nodiscard]] std::chrono::nanoseconds IdleFor() const;

  // Not serving, running jobs put back, watchers told, calls ended. Blocks for as long as a
  // candidate takes to stop.
  void Stop();

 private:
  class Impl;

  explicit Daemon(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace tw
