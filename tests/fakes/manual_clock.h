// A clock that moves when told to. Thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "codegen/core/clock.h"

namespace tw::fakes {

class ManualClock final : public Clock {
 public:
  [[nodiscard]] std::chrono::nanoseconds Now() const override {
    return std::chrono::nanoseconds(now_ns_.load());
  }

  [[nodiscard]] std::int64_t WallMicros() const override {
    return 1'700'000'000'000'000 + now_ns_.load() / 1000;
  }

  void Advance(std::chrono::nanoseconds by) { now_ns_ += by.count(); }

 private:
  std::atomic<std::int64_t> now_ns_ = 1'000'000'000;
};

}  // namespace tw::fakes
