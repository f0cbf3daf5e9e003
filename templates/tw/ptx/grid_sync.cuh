// Blocks of a grid that wait for each other through global memory, and what they exchange there:
// past the L1, which is not coherent.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

TW_DEVICE void StoreThroughL2(Vec<float, 4>* to, const Vec<float, 4>& x) {
  asm volatile("st.global.cg.v4.f32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(to), "f"(x.v[0]), "f"(x.v[1]), "f"(x.v[2]), "f"(x.v[3])
               : "memory");
}

TW_DEVICE Vec<float, 4> LoadThroughL2(const Vec<float, 4>* from) {
  Vec<float, 4> x;
  asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x.v[0]), "=f"(x.v[1]), "=f"(x.v[2]), "=f"(x.v[3])
               : "l"(from)
               : "memory");
  return x;
}

}  // namespace tw
