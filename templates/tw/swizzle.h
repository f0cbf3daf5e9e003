// XOR swizzle of shared-memory tiles: chunk c (16 bytes) of row r is stored at chunk c ^ Key(r) of
// the same row, so that the chunks that a warp reads at once lie in different banks. Compiles on
// the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

constexpr int kChunkBytes = 16;
constexpr int kBankRowBytes = 128;  // 32 banks of 4 bytes

// Key(r) = ((r >> row_shift) & mask) << chunk_shift. Rows without common bits XOR: Key(r | s) =
// Key(r) ^ Key(s), which lets kernels fold constant row steps into one XOR.
struct Swizzle {
  int row_shift = 0;
  int mask = 0;  // 2^n - 1
  int chunk_shift = 0;

  [[nodiscard]] TW_HD constexpr int Key(int row) const {
    return ((row >> row_shift) & mask) << chunk_shift;
  }

  // Byte offset in a tile of rows of `pitch` bytes. Requires: byte < pitch.
  [[nodiscard]] TW_HD constexpr int Offset(int pitch, int row, int byte) const {
    return row * pitch + (byte ^ (Key(row) * kChunkBytes));
  }
};

// Each rule takes a pitch that is a power of two, from 32 on.

// For reads of one chunk of eight consecutive rows (an ldmatrix tile): no conflicts. Pitches 128,
// 64 and 32 give the patterns of the bulk tensor copies.
TW_HD constexpr Swizzle ChunkSwizzle(int pitch) {
  return pitch >= kBankRowBytes ? Swizzle{0, 7, 0}
                                : (pitch == 64 ? Swizzle{1, 3, 0} : Swizzle{2, 1, 0});
}

// For reads of 32 adjacent bytes of four consecutive rows: no conflicts from pitch 64 on.
TW_HD constexpr Swizzle WordSwizzle(int pitch) {
  return pitch >= kBankRowBytes ? Swizzle{0, 3, 1}
                                : (pitch == 64 ? Swizzle{1, 1, 1} : Swizzle{0, 0, 0});
}

// For reads of 32 adjacent bytes of rows r, r + 4, r + 8 and r + 12: no conflicts from pitch 128
// on, 2-way at 64, 4-way at 32.
TW_HD constexpr Swizzle FourRowSwizzle(int pitch) {
  return pitch >= kBankRowBytes ? Swizzle{2, 3, 1}
                                : (pitch == 64 ? Swizzle{2, 1, 1} : Swizzle{0, 0, 0});
}

// The same pattern as the hardware states it, on byte addresses: bits [4, 4 + bits) ^= bits
// [7, 7 + bits); 3, 2, 1 bits are the 128-, 64- and 32-byte modes. The tile's base is a multiple
// of 128 << bits.
TW_HD constexpr uint32 SwizzleAddress(uint32 address, int bits) {
  return address ^ (((address >> 7) & ((1U << bits) - 1U)) << 4);
}

}  // namespace tw
