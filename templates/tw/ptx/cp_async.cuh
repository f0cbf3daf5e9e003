// cp.async: global to shared memory without registers (sm_80 on). A thread's copies since its last
// commit form a group; groups complete in order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

// Copies `valid_bytes` (0 to kBytes) and zero-fills the rest of kBytes. With 0 the source is not
// read, whatever its address. Both addresses are multiples of kBytes: 4, 8 or 16.
template <int kBytes>
TW_DEVICE void CpAsync(uint32 shared, const void* global, int valid_bytes) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16, "cp.async moves 4, 8 or 16 bytes");
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;"
                 :
                 : "r"(shared), "l"(global), "r"(valid_bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2, %3;"
                 :
                 : "r"(shared), "l"(global), "n"(kBytes), "r"(valid_bytes)
                 : "memory");
  }
}

TW_DEVICE void CpAsyncCommit() {
  asm volatile("cp.async.commit_group;" : : : "memory");
}

// Returns when at most kPending of this thread's groups are still in flight.
template <int kPending>
TW_DEVICE void CpAsyncWait() {
  asm volatile("cp.async.wait_group %0;" : : "n"(kPending) : "memory");
}

}  // namespace tw
