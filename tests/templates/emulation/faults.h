// Instructions that a test may have fail, to see that the emulation shows it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace tw::emulation {

enum class Instruction {
  kFenceProxyAsync,    // left out
  kMbarrierInitFence,  // left out
  kMbarrierWait,       // for the other parity
  kMbarrierExpect,     // of 16 bytes less
  kMbarrierArrive,     // left out
  kTmaStoreWaitRead,   // left out
  kWgmmaWait,          // left out
  kWgmmaFence,         // left out
  kNamedBarrierSync,   // arrives without waiting
  kClusterSync,        // left out
};

constexpr std::size_t kInstructions = 10;
using InstructionCounts = std::array<int, kInstructions>;

// The `nth` such instruction, from 0, of every thread that comes so far; or all from there on.
struct Fault {
  Instruction instruction = Instruction::kFenceProxyAsync;
  int nth = 0;
  bool and_later = false;
};

}  // namespace tw::emulation
