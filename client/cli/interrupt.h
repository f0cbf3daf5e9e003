// Ctrl-C as a stop request instead of the end of the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <thread>

#include "client/cli/unique_fd.h"

namespace tw::cli {

// Blocks SIGINT and SIGTERM in the calling thread, and so in all threads that it starts later:
// make it before the first RPC. The first signal requests a stop, the second ends the process
// with 130. A signal that the parent had ignored (nohup, a shell's background job) stays ignored.
// The mask stays when the object goes.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  [[nodiscard]] std::stop_token Token() const { return source_.get_token(); }

 private:
  void Watch();

  std::stop_source source_;
  UniqueFd signals_;
  UniqueFd wake_;
  std::jthread thread_;
};

}  // namespace tw::cli
