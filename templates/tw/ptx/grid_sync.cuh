// Blocks of a grid that wait for each other through global memory, and what they exchange there:
// past the L1, which is not coherent.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/ptx/sum_bits.cuh"
#include "tw/vector.cuh"

namespace tw {

// Counts an arrival and goes from `last` back to 0. What this thread wrote or saw (by a barrier of
// the block) comes before it.
TW_DEVICE void ArriveAndWrap(uint32* counter, uint32 last) {
  asm volatile(
      "{\n.reg .u32 old;\n"
      "atom.inc.acq_rel.gpu.global.u32 old, [%0], %1;\n}"
      :
      : "l"(counter), "r"(last)
      : "memory");
}

// What others wrote before their arrivals is visible behind this.
TW_DEVICE uint32 LoadAcquire(const uint32* counter) {
  uint32 x;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(counter) : "memory");
  return x;
}

// Sets a counter that nobody else writes to meanwhile; order as ArriveAndWrap.
TW_DEVICE void StoreRelease(uint32* counter, uint32 x) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(counter), "r"(x) : "memory");
}

// T: float or int.
template <class T>
TW_DEVICE void StoreThroughL2(Vec<T, 4>* to, const Vec<T, 4>& x) {
  asm volatile("st.global.cg.v4.b32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(to), "r"(SumBits(x.v[0])), "r"(SumBits(x.v[1])), "r"(SumBits(x.v[2])),
                 "r"(SumBits(x.v[3]))
               : "memory");
}

template <class T>
TW_DEVICE Vec<T, 4> LoadThroughL2(const Vec<T, 4>* from) {
  Vec<T, 4> x;
  asm volatile("ld.global.cg.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(x.raw.x), "=r"(x.raw.y), "=r"(x.raw.z), "=r"(x.raw.w)
               : "l"(from)
               : "memory");
  return x;
}

}  // namespace tw
