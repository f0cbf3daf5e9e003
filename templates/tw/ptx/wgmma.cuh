// wgmma: products of a warpgroup, operands in shared memory, sums in registers (sm_90a). One file
// for each kind of operands defines the products: wgmma_bf16.cuh, wgmma_f16.cuh, wgmma_fp8.cuh,
// wgmma_s8.cuh, wgmma_tf32.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

// Before the first product that uses registers which other instructions wrote.
TW_DEVICE void WgmmaFence() {
  asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}

// The products since the last commit form a group; groups complete in order.
TW_DEVICE void WgmmaCommit() {
  asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}

// Returns when at most kPending groups are still running.
template <int kPending>
TW_DEVICE void WgmmaWait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(kPending) : "memory");
}

// 64 x kN products over 32 bytes of k: d = a * b + (accumulate ? d : 0). `a` and `b` are matrix
// descriptors (wgmma_descriptor.h); kMnMajor*: the operand is not K-major, which only 16-bit types
// may be. s8 has no columns of odd multiples of 8 beyond 24. Thread t of the
// warpgroup holds in d[4 * j + 2 * h + i] the sum of row t / 32 * 16 + t % 32 / 4 + 8 * h and
// column 8 * j + 2 * (t % 4) + i.
template <class A, class B, int kN>
struct Wgmma;
//   template <bool kMnMajorA, bool kMnMajorB>
//   static TW_DEVICE void Run(Sum (&d)[kN / 2], uint64 a, uint64 b, int accumulate);
// Sum: float, or int for s8.

}  // namespace tw
