// Whether anybody uses the daemon: the on-demand one leaves when nobody has for a while.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>

#include "codegen/core/clock.h"

namespace tw {

// Thread-safe.
class Activity {
 public:
  explicit Activity(const Clock& clock) : clock_(clock), last_(clock.Now().count()) {}

  // Calls in progress; streams count until they end.
  void Enter() { ++calls_; }

  void Leave() {
    Touch();
    --calls_;
  }

  // Something happened just now.
  void Touch() { last_ = clock_.Now().count(); }

  // 0 while a call is in progress.
  [[nodiscard]] std::chrono::nanoseconds IdleFor() const {
    if (calls_.load() > 0)
      return {};
    return clock_.Now() - std::chrono::nanoseconds(last_.load());
  }

 private:
  const Clock& clock_;
  std::atomic<int> calls_ = 0;
  std::atomic<std::chrono::nanoseconds::rep> last_;
};

class ActivityScope {
 public:
  explicit ActivityScope(Activity& activity) : activity_(activity) { activity_.Enter(); }

  ~ActivityScope() { activity_.Leave(); }

  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;

 private:
  Activity& activity_;
};

}  // namespace tw
