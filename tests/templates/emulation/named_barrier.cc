// SPDX-License-Identifier: Apache-2.0
#include "tests/templates/emulation/named_barrier.h"

#include <utility>

namespace tw::emulation {

std::string NamedBarrier::Arrive(std::size_t warp, int threads) {
  constexpr int kWarpThreads = 32;
  if (threads <= 0 || threads % kWarpThreads != 0)
    return "a barrier of " + std::to_string(threads) + " threads";
  if (expected_ != 0 && expected_ != threads)
    return "arrivals for " + std::to_string(threads) + " threads and for " +
           std::to_string(expected_);
  expected_ = threads;
  if (++lanes_[warp] < kWarpThreads)
    return {};
  lanes_.erase(warp);
  arrived_ += kWarpThreads;
  if (arrived_ == expected_) {
    complete_ = true;
    arrived_ = 0;
    if (lanes_.empty())
      expected_ = 0;
  }
  return {};
}

bool NamedBarrier::TakeComplete() {
  return std::exchange(complete_, false);
}

}  // namespace tw::emulation
