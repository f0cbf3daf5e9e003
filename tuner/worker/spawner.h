// Starts children from a thread of its own. A child's parent-death signal fires when the *thread*
// that started it ends, and the threads that ask for children (one per job) come and go.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "tuner/worker/subprocess.h"

namespace tw {

// Thread-safe. Its children die with it: it must outlive what it started.
class Spawner {
 public:
  Spawner();

  // As Subprocess::Start.
  Result<std::unique_ptr<Subprocess>> Start(SubprocessOptions options);

 private:
  struct Order {
    SubprocessOptions options;
    std::promise<Result<std::unique_ptr<Subprocess>>> reply;
  };

  void Serve(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Order> orders_;
  std::jthread thread_;  // last: stops before the rest goes
};

}  // namespace tw
