// One of a block's 16 barriers. Warps count, 32 threads each, once all lanes have come.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "tests/templates/emulation/fibers.h"

namespace tw::emulation {

class NamedBarrier {
 public:
  // A thread of warp `warp`, for a barrier of `threads`. Returns what is wrong; empty where
  // nothing is.
  [[nodiscard]] std::string Arrive(std::size_t warp, int threads);

  // Whether the last arrival was the last one needed; once.
  bool TakeComplete();

  WaitList& waiting() { return waiting_; }

 private:
  int expected_ = 0;  // of the arrivals that stand; 0: none stand
  int arrived_ = 0;
  bool complete_ = false;
  std::map<std::size_t, int> lanes_;  // of warps that have come in part
  WaitList waiting_;
};

}  // namespace tw::emulation
