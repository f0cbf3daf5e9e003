// Emulation of templates/tw/ptx/shared.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "tests/templates/emulation/machine.h"
#include "tw/base.cuh"
#include "tw/vector.cuh"

namespace tw {

inline uint32 LoadSharedWord(uint32 shared) {
  uint32 word = 0;
  std::memcpy(&word, emulation::Current().Shared(shared, 4), 4);
  return word;
}

inline void StoreSharedWord(uint32 shared, uint32 word) {
  emulation::Current().WriteShared(shared, &word, 4);
}

inline void StoreSharedHalf(uint32 shared, uint16 half) {
  emulation::Current().WriteShared(shared, &half, 2);
}

inline void StoreSharedPair(uint32 shared, uint32 first, uint32 second) {
  const uint32 words[2] = {first, second};
  emulation::Current().WriteShared(shared, words, 8);
}

template <int kBytes>
typename RawOf<kBytes>::Type LoadSharedRaw(uint32 shared) {
  typename RawOf<kBytes>::Type x;
  std::memcpy(&x, emulation::Current().Shared(shared, kBytes), kBytes);
  return x;
}

}  // namespace tw
