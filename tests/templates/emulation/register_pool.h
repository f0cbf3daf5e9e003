// A block's registers, which its warpgroups give back and claim (setmaxnreg).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/templates/emulation/fibers.h"

namespace tw::emulation {

class RegisterPool {
 public:
  static constexpr int kFile = 65536;
  static constexpr int kThreads = 128;  // of a warpgroup

  // Of a block whose threads start with `registers` each.
  RegisterPool(std::size_t warpgroups, int registers)
      : each_(warpgroups, registers), asked_(warpgroups) {}

  // One thread of a warpgroup, from which all must come with the same figure. Returns what is
  // wrong; empty where nothing is.
  [[nodiscard]] std::string Release(std::size_t warpgroup, int registers);
  [[nodiscard]] std::string Claim(std::size_t warpgroup, int registers);

  // Whether the warpgroup has at least what it claimed. It takes what it needs from the pool.
  [[nodiscard]] bool Granted(std::size_t warpgroup, int registers);

  WaitList& waiting() { return waiting_; }

 private:
  struct Request {
    int registers = 0, threads = 0;
  };

  [[nodiscard]] std::string Ask(std::size_t warpgroup, int registers);

  std::vector<int> each_;  // a thread of the warpgroup
  std::vector<Request> asked_;
  int free_ = 0;
  WaitList waiting_;
};

}  // namespace tw::emulation
