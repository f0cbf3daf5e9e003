// Shared memory to registers: a warp's fragments of one operand for one mma step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/operand_layout.h"
#include "tw/ptx/ldmatrix.cuh"
#include "tw/ptx/mma_sync.cuh"
#include "tw/ptx/shared.cuh"

namespace tw {

// 4x4 bytes: byte r of out[c] = byte c of in[r].
TW_DEVICE void TransposeBytes(const uint32 (&in)[4], uint32 (&out)[4]) {
  uint32 low01 = __byte_perm(in[0], in[1], 0x5140);
  uint32 low23 = __byte_perm(in[2], in[3], 0x5140);
  uint32 high01 = __byte_perm(in[0], in[1], 0x7362);
  uint32 high23 = __byte_perm(in[2], in[3], 0x7362);
  out[0] = __byte_perm(low01, low23, 0x5410);
  out[1] = __byte_perm(low01, low23, 0x7632);
  out[2] = __byte_perm(high01, high23, 0x5410);
  out[3] = __byte_perm(high01, high23, 0x7632);
}

// kMn: the warp's extent. T: element type; tf32 is rounded here.
template <class T, class Layout, int kMn>
struct Fragments {
  static constexpr int kOctets = kMn / 8;

  uint32 words[kOctets * 2];  // at Layout::WordIndex

  TW_DEVICE void Clear() {
#pragma unroll
    for (uint32& word : words)
      word = 0;
  }

  // `shared`: the tile's address; `lane_offset`: Layout::LaneOffset.
  TW_DEVICE void Load(uint32 shared, int lane_offset, int step) {
    if constexpr (Layout::kRead == FragmentRead::kElements) {
      LoadElements(shared, lane_offset, step);
    } else if constexpr (Layout::kRead == FragmentRead::kByteBlocks) {
      LoadByteBlocks(shared, lane_offset, step);
    } else {
      LoadMatrices(shared, lane_offset, step);
    }
  }

  // In the type that mma.sync expects.
  TW_DEVICE void Convert() {
    if constexpr (sizeof(T) == 4) {
#pragma unroll
      for (uint32& word : words)
        word = RoundToTf32(word);
    }
  }

 private:
  TW_DEVICE void LoadMatrices(uint32 shared, int lane_offset, int step) {
#pragma unroll
    for (int block = 0; block < kOctets / 2; ++block) {
      if constexpr (Layout::kRead == FragmentRead::kMatrix) {
        Ldmatrix4(shared + Layout::KMajorOffset(lane_offset, block, step), words + block * 4);
      } else {
        Ldmatrix4Trans(shared + Layout::MnMajorOffset(lane_offset, block, step * Layout::kMmaK),
                       words + block * 4);
      }
    }
  }

  TW_DEVICE void LoadElements(uint32 shared, int lane_offset, int step) {
#pragma unroll
    for (int octet = 0; octet < kOctets; ++octet) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        int k = step * Layout::kMmaK + half * (Layout::kMmaK / 2);
        words[Layout::WordIndex(octet, half)] =
            LoadSharedWord(shared + Layout::MnMajorOffset(lane_offset, octet, k));
      }
    }
  }

  TW_DEVICE void LoadByteBlocks(uint32 shared, int lane_offset, int step) {
#pragma unroll
    for (int block = 0; block < kOctets / 4; ++block) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        int k = step * Layout::kMmaK + half * (Layout::kMmaK / 2);
        uint32 rows[4];
        uint32 columns[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
          rows[i] = LoadSharedWord(shared + Layout::MnMajorOffset(lane_offset, block, k + i));
        TransposeBytes(rows, columns);
#pragma unroll
        for (int i = 0; i < 4; ++i)
          words[Layout::WordIndex(block * 4 + i, half)] = columns[i];
      }
    }
  }
};

}  // namespace tw
