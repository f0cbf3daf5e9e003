// One thread for calls that wait for the disk: the transport has as few as two, and each that waits
// is one less for those that do not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace tw {

// Thread-safe.
class SideThread {
 public:
  static constexpr std::size_t kMostWaiting = 256;

  SideThread();
  // Runs what waits, then ends.
  ~SideThread();

  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;

  // In the order of the calls. False: kMostWaiting wait already, and `task` is dropped.
  bool Post(std::function<void()> task);

 private:
  void Run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> tasks_;
  std::jthread thread_;  // last: stops before the rest goes
};

}  // namespace tw
