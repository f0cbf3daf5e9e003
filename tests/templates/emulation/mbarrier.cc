// SPDX-License-Identifier: Apache-2.0
#include "tests/templates/emulation/mbarrier.h"

#include <utility>

namespace tw::emulation {

std::string Mbarrier::Arrive() {
  if (pending_ == 0)
    return "arrival beyond the count (" + Text() + ")";
  --pending_;
  EndPhase();
  return {};
}

std::string Mbarrier::Expect(std::int64_t bytes) {
  bytes_ += bytes;
  return bytes_ > kMaxBytes ? "too many bytes expected (" + Text() + ")" : std::string();
}

std::string Mbarrier::Complete(std::int64_t bytes) {
  bytes_ -= bytes;
  EndPhase();
  return bytes_ < -kMaxBytes ? "too many bytes (" + Text() + ")" : std::string();
}

void Mbarrier::EndPhase() {
  if (pending_ != 0 || bytes_ != 0)
    return;
  ++phase_;
  pending_ = count_;
  ended_ = true;
}

bool Mbarrier::TakeEnded() {
  return std::exchange(ended_, false);
}

std::string Mbarrier::Text() const {
  return "phase " + std::to_string(phase_) + ", " + std::to_string(pending_) + " of " +
         std::to_string(count_) + " arrivals pending, " + std::to_string(bytes_) +
         " bytes expected";
}

}  // namespace tw::emulation
