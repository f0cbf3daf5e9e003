// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/clock.h"

#include <gtest/gtest.h>

namespace tw {
namespace {

TEST(SteadyClock, NeverGoesBack) {
  const SteadyClock clock;
  std::chrono::nanoseconds last = clock.Now();
  for (int i = 0; i < 1000; ++i) {
    const std::chrono::nanoseconds now = clock.Now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(SteadyClock, WallTimeIsMicrosecondsOfTheSystemClock) {
  using std::chrono::microseconds;
  const auto system_micros = [] {
    return std::chrono::duration_cast<microseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  const std::int64_t before = system_micros();
  const std::int64_t wall = SteadyClock().WallMicros();
  EXPECT_LE(before, wall);
  EXPECT_LE(wall, system_micros());
}

}  // namespace
}  // namespace tw
