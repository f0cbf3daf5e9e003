// Emulation of templates/tw/ptx/shared.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "tests/templates/emulation/machine.h"
#include "tw/base.cuh"

namespace tw {

inline uint32 LoadSharedWord(uint32 shared) {
  uint32 word = 0;
  std::memcpy(&word, emulation::Current().Shared(shared, 4), 4);
  return word;
}

inline void StoreSharedWord(uint32 shared, uint32 word) {
  std::memcpy(emulation::Current().Shared(shared, 4), &word, 4);
}

}  // namespace tw
