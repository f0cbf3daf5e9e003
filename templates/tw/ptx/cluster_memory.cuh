// Shared memory of the other blocks of a cluster (sm_90 on).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/vector.cuh"

namespace tw {

TW_DEVICE void StoreSharedFour(uint32 shared, const Vec<float, 4>& x) {
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};"
               :
               : "r"(shared), "f"(x.v[0]), "f"(x.v[1]), "f"(x.v[2]), "f"(x.v[3])
               : "memory");
}

// From the same address of block `rank`.
TW_DEVICE Vec<float, 4> LoadClusterFour(uint32 shared, uint32 rank) {
  Vec<float, 4> x;
  asm volatile(
      "{\n.reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %4, %5;\n"
      "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [remote];\n}"
      : "=f"(x.v[0]), "=f"(x.v[1]), "=f"(x.v[2]), "=f"(x.v[3])
      : "r"(shared), "r"(rank)
      : "memory");
  return x;
}

}  // namespace tw
