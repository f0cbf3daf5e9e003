// TMA loads of one operand's tile of a k block, in 128-byte swizzle. The blocks of a cluster that
// need the same tile load equal shares of it into each other's shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/ptx/tma.cuh"
#include "tw/wgmma_descriptor.h"

namespace tw {

// kExtent rows (or columns) by kBlockK elements of k. Boxes of the map: K-major {kBlockK,
// kExtent / kShares}, MN-major {kLine, kBlockK}; the batch is the third dimension.
template <int kExtent, int kBlockK, bool kKMajor, int kShares, int kRank>
struct OperandBoxes {
  static constexpr int kLine = 64;  // elements of an MN-major line
  static constexpr int kShareBytes = kExtent / kShares * kSwizzleSpan;

  // This block's share. `mn`, `k`: first elements of the whole tile. `peers`: the blocks that get
  // it.
  static TW_DEVICE void Load(uint32 tile,
                             const TensorMap& map,
                             uint32 barrier,
                             int mn,
                             int k,
                             int batch,
                             int share,
                             uint16 peers,
                             L2Hint hint) {
    const uint32 to = tile + share * kShareBytes;
    const int first = mn + share * (kExtent / kShares);
    if constexpr (kKMajor) {
      LoadBox(to, map, barrier, {k, first, batch}, peers, hint);
    } else {
#pragma unroll
      for (int i = 0; i < kExtent / kShares / kLine; ++i)
        LoadBox(to + i * kBlockK * kSwizzleSpan, map, barrier, {first + i * kLine, k, batch}, peers,
                hint);
    }
  }

 private:
  static TW_DEVICE void LoadBox(
      uint32 to, const TensorMap& map, uint32 barrier, TmaCoord at, uint16 peers, L2Hint hint) {
    if constexpr (kShares > 1) {
      TmaLoadMulticast<kRank>(to, map, barrier, at, hint, peers);
    } else {
      TmaLoad<kRank>(to, map, barrier, at, hint);
    }
  }
};

}  // namespace tw
