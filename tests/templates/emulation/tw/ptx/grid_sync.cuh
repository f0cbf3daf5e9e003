// Emulation of templates/tw/ptx/grid_sync.cuh. One instruction after the other, memory needs no
// orders; what the release and acquire of a counter cover shows in the order of the threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/templates/emulation/machine.h"
#include "tw/base.cuh"
#include "tw/vector.cuh"

namespace tw {

inline void ArriveAndWrap(uint32* counter, uint32 last) {
  emulation::Current().WriteCounter(counter,
                                    [last](uint32 old) { return old >= last ? 0 : old + 1; });
}

inline uint32 LoadAcquire(const uint32* counter) {
  return emulation::Current().Poll(counter);
}

inline void StoreRelease(uint32* counter, uint32 x) {
  emulation::Current().WriteCounter(counter, [x](uint32) { return x; });
}

template <class T>
void StoreThroughL2(Vec<T, 4>* to, const Vec<T, 4>& x) {
  *to = x;
}

template <class T>
Vec<T, 4> LoadThroughL2(const Vec<T, 4>* from) {
  return *from;
}

}  // namespace tw
