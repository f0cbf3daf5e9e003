// One mbarrier, as PTX defines it: phases that end when no arrival is pending and no byte is
// expected.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/templates/emulation/fibers.h"

namespace tw::emulation {

// Who may use it: nobody but the thread that initialised it, before a fence and a barrier.
enum class Reach { kThread, kFenced, kBlock, kCluster };

class Mbarrier {
 public:
  static constexpr std::int64_t kMaxBytes = (1 << 20) - 1;
  static constexpr int kMaxCount = (1 << 20) - 1;

  Mbarrier() = default;

  Mbarrier(int count, std::size_t initialiser)
      : count_(count), pending_(count), initialiser_(initialiser) {}

  // Each returns what is wrong; empty where nothing is.
  [[nodiscard]] std::string Arrive();
  [[nodiscard]] std::string Expect(std::int64_t bytes);
  [[nodiscard]] std::string Complete(std::int64_t bytes);

  // Whether the phase of this parity has ended.
  [[nodiscard]] bool Passed(unsigned parity) const { return phase_ % 2 != parity; }

  // Whether the last call ended a phase; once.
  bool TakeEnded();

  [[nodiscard]] bool FencedBy(std::size_t thread) const {
    return initialiser_ == thread && reach_ != Reach::kThread;
  }

  [[nodiscard]] std::size_t initialiser() const { return initialiser_; }

  [[nodiscard]] Reach reach() const { return reach_; }

  void set_reach(Reach reach) { reach_ = reach; }

  WaitList& waiting() { return waiting_; }

  // "phase 3, 1 of 2 arrivals pending, 128 bytes expected".
  [[nodiscard]] std::string Text() const;

 private:
  void EndPhase();

  int count_ = 0, pending_ = 0;
  std::int64_t bytes_ = 0;
  std::uint64_t phase_ = 0;
  bool ended_ = false;
  std::size_t initialiser_ = 0;
  Reach reach_ = Reach::kThread;
  WaitList waiting_;
};

}  // namespace tw::emulation
