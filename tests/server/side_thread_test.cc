// SPDX-License-Identifier: Apache-2.0
#include "server/side_thread.h"

#include <future>
#include <string>

#include <gtest/gtest.h>

namespace tw {
namespace {

TEST(SideThread, RunsInOrderAndEndsWithWhatWaits) {
  std::string order;
  {
    SideThread side;
    for (const char c : {'a', 'b', 'c'}) {
      EXPECT_TRUE(side.Post([&order, c] { order += c; }));
    }
  }
  EXPECT_EQ(order, "abc");
}

TEST(SideThread, DropsWhatIsTooMuch) {
  std::size_t ran = 0;
  bool dropped_ran = false;
  std::promise<void> begun;
  std::promise<void> gate;
  {
    SideThread side;
    ASSERT_TRUE(side.Post([&] {
      begun.set_value();
      gate.get_future().wait();
    }));
    begun.get_future().wait();
    for (std::size_t i = 0; i < SideThread::kMostWaiting; ++i) {
      ASSERT_TRUE(side.Post([&ran] { ++ran; }));
    }
    EXPECT_FALSE(side.Post([&dropped_ran] { dropped_ran = true; }));
    gate.set_value();
  }
  EXPECT_EQ(ran, SideThread::kMostWaiting);
  EXPECT_FALSE(dropped_ran);
}

}  // namespace
}  // namespace tw
