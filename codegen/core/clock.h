// Clock seam: budgets and deadlines never read the system clock directly.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace tw {

class Clock {
 public:
  virtual ~Clock() = default;
  // Monotonic.
  [[nodiscard]] virtual std::chrono::nanoseconds Now() const = 0;
  // Wall time, for display and records only: microseconds since the Unix epoch.
  [[nodiscard]] virtual std::int64_t WallMicros() const = 0;
};

class SteadyClock final : public Clock {
 public:
  [[nodiscard]] std::chrono::nanoseconds Now() const override;
  [[nodiscard]] std::int64_t WallMicros() const override;
};

}  // namespace tw
