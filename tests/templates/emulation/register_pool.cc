// SPDX-License-Identifier: Apache-2.0
#include "tests/templates/emulation/register_pool.h"

namespace tw::emulation {

std::string RegisterPool::Ask(std::size_t warpgroup, int registers) {
  constexpr int kLeast = 24;
  constexpr int kMost = 256;
  if (registers < kLeast || registers > kMost || registers % 8 != 0)
    return std::to_string(registers) + " registers are not 24 to 256 in steps of 8";
  Request& request = asked_.at(warpgroup);
  if (request.threads != 0 && request.registers != registers)
    return "a warpgroup asks for different counts of registers";
  request.registers = registers;
  request.threads = request.threads % kThreads + 1;
  return {};
}

std::string RegisterPool::Release(std::size_t warpgroup, int registers) {
  std::string error = Ask(warpgroup, registers);
  if (!error.empty() || asked_[warpgroup].threads < kThreads)
    return error;
  if (registers > each_[warpgroup])
    return "a release from " + std::to_string(each_[warpgroup]) + " up to " +
           std::to_string(registers) + " registers";
  free_ += (each_[warpgroup] - registers) * kThreads;
  each_[warpgroup] = registers;
  asked_[warpgroup] = {};
  return {};
}

std::string RegisterPool::Claim(std::size_t warpgroup, int registers) {
  std::string error = Ask(warpgroup, registers);
  if (error.empty() && registers < each_[warpgroup])
    return "a claim from " + std::to_string(each_[warpgroup]) + " down to " +
           std::to_string(registers) + " registers";
  return error;
}

bool RegisterPool::Granted(std::size_t warpgroup, int registers) {
  if (each_[warpgroup] >= registers && asked_[warpgroup].threads == 0)
    return true;
  const int more = (registers - each_[warpgroup]) * kThreads;
  if (asked_[warpgroup].threads < kThreads || more > free_)
    return false;
  free_ -= more;
  each_[warpgroup] = registers;
  asked_[warpgroup] = {};
  return true;
}

}  // namespace tw::emulation
