// Shared memory of the other blocks of a cluster (sm_90 on).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/ptx/sum_bits.cuh"
#include "tw/vector.cuh"

namespace tw {

// T: float or int.
template <class T>
TW_DEVICE void StoreSharedFour(uint32 shared, const Vec<T, 4>& x) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
               :
               : "r"(shared), "r"(SumBits(x.v[0])), "r"(SumBits(x.v[1])), "r"(SumBits(x.v[2])),
                 "r"(SumBits(x.v[3]))
               : "memory");
}

// From the same address of block `rank`.
template <class T>
TW_DEVICE Vec<T, 4> LoadClusterFour(uint32 shared, uint32 rank) {
  Vec<T, 4> x;
  asm volatile(
      "{\n.reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %4, %5;\n"
      "ld.shared::cluster.v4.b32 {%0, %1, %2, %3}, [remote];\n}"
      : "=r"(x.raw.x), "=r"(x.raw.y), "=r"(x.raw.z), "=r"(x.raw.w)
      : "r"(shared), "r"(rank)
      : "memory");
  return x;
}

}  // namespace tw
