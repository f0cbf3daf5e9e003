// TMA: boxes of a tensor between global and shared memory by the bulk copy engine (sm_90 on). One
// thread issues a whole box. Elements outside of the tensor are read as zero and not written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"
#include "tw/tensor_map.h"

namespace tw {

// First element of a box, innermost dimension first; z is ignored by two-dimensional maps.
struct TmaCoord {
  int x, y, z;
};

// What the L2 does with the lines, as the driver's own access policies encode it.
enum class L2Hint : uint64 {
  kNormal = 0x1000000000000000ull,
  kEvictFirst = 0x12F0000000000000ull,
  kEvictLast = 0x14F0000000000000ull,
};

// The descriptor on its way into the cache.
TW_DEVICE void TmaPrefetchMap(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" : : "l"(&map) : "memory");
}

// Into shared memory; its bytes count at `barrier` of this block.
template <int kRank>
TW_DEVICE void TmaLoad(
    uint32 shared, const TensorMap& map, uint32 barrier, TmaCoord at, L2Hint hint) {
  if constexpr (kRank == 2) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5;"
        :
        : "r"(shared), "l"(&map), "r"(barrier), "r"(at.x), "r"(at.y), "l"(static_cast<uint64>(hint))
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".L2::cache_hint [%0], [%1, {%3, %4, %5}], [%2], %6;"
        :
        : "r"(shared), "l"(&map), "r"(barrier), "r"(at.x), "r"(at.y), "r"(at.z),
          "l"(static_cast<uint64>(hint))
        : "memory");
  }
}

// The same box into every block of the cluster whose bit is set in `blocks`, at the same address,
// counted at the same barrier of each.
template <int kRank>
TW_DEVICE void TmaLoadMulticast(
    uint32 shared, const TensorMap& map, uint32 barrier, TmaCoord at, L2Hint hint, uint16 blocks) {
  if constexpr (kRank == 2) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster.L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5, %6;"
        :
        : "r"(shared), "l"(&map), "r"(barrier), "r"(at.x), "r"(at.y), "h"(blocks),
          "l"(static_cast<uint64>(hint))
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster.L2::cache_hint [%0], [%1, {%3, %4, %5}], [%2], %6, %7;"
        :
        : "r"(shared), "l"(&map), "r"(barrier), "r"(at.x), "r"(at.y), "r"(at.z), "h"(blocks),
          "l"(static_cast<uint64>(hint))
        : "memory");
  }
}

// Out of shared memory, which the writing threads have passed to the copy engine by
// FenceProxyAsync and a barrier.
template <int kRank>
TW_DEVICE void TmaStore(const TensorMap& map, uint32 shared, TmaCoord at) {
  if constexpr (kRank == 2) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];"
                 :
                 : "l"(&map), "r"(shared), "r"(at.x), "r"(at.y)
                 : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];"
        :
        : "l"(&map), "r"(shared), "r"(at.x), "r"(at.y), "r"(at.z)
        : "memory");
  }
}

// This thread's stores since the last commit form a group.
TW_DEVICE void TmaStoreCommit() {
  asm volatile("cp.async.bulk.commit_group;" : : : "memory");
}

// Returns when at most kPending of this thread's groups still have shared memory to read.
template <int kPending>
TW_DEVICE void TmaStoreWaitRead() {
  asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(kPending) : "memory");
}

// This thread's writes to shared memory come before what the copy engine and wgmma read there.
TW_DEVICE void FenceProxyAsync() {
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

}  // namespace tw
