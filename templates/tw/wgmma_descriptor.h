// Matrix descriptors of wgmma for operand tiles in 128-byte swizzled shared memory, as TMA boxes
// with the same swizzle leave them. Compiles on the host.
//
// K-major: a row of the tile is 128 bytes of k; 8 rows form the pattern's 1024 bytes.
// MN-major: blocks of 128 bytes of rows (or columns) by one k block, each k step a line of 128
// bytes; a block's lines follow each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

constexpr int kSwizzleSpan = 128;      // bytes of a line
constexpr int kSwizzlePattern = 1024;  // bytes; tiles start at a multiple

// Fields after the PTX description of wgmma's matrix descriptor: offsets in units of 16 bytes.
struct WgmmaDescriptor {
  // Everything but the start address. `k_block`: elements of k in a tile. The stride is between
  // groups of 8 lines; the leading offset is between MN-major blocks and not used by K-major.
  TW_HD static constexpr uint64 Layout(bool k_major, int k_block) {
    constexpr uint64 kSwizzle128 = uint64{1} << 62;
    const uint64 stride = kSwizzlePattern / 16;
    const uint64 leading = k_major ? 1 : static_cast<uint64>(k_block) * kSwizzleSpan / 16;
    return kSwizzle128 | (stride << 32) | (leading << 16);
  }

  // Start address field. In a cluster the address carries the block's rank above its 18 bits.
  TW_HD static constexpr uint32 Start(uint32 shared) { return (shared & 0x3ffff) >> 4; }

  // What a step of 32 bytes of k adds to the start: along the line, or 32 / element_bytes lines on.
  TW_HD static constexpr uint32 StepOfK(bool k_major, int element_bytes) {
    return static_cast<uint32>(k_major ? 2 : 32 / element_bytes * kSwizzleSpan / 16);
  }

  // What the next 64 rows (or columns) of 16-bit elements add: 64 lines, or the next block.
  TW_HD static constexpr uint32 Step64(bool k_major, int k_block) {
    return static_cast<uint32>(k_major ? 64 : k_block) * kSwizzleSpan / 16;
  }
};

}  // namespace tw
