// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/clock.h"

namespace tw {

std::chrono::nanoseconds SteadyClock::Now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

std::int64_t SteadyClock::WallMicros() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace tw
