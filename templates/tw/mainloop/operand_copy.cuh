// Global to shared memory for one operand: a thread's part of every K tile. Addresses are set up
// once; each tile advances one pointer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/operand_layout.h"
#include "tw/ptx/cp_async.cuh"
#include "tw/ptx/shared.cuh"

namespace tw {

// A block's share of an operand in global memory.
struct OperandSource {
  const char* tile;   // its first element
  int64 ld_bytes;     // between consecutive mn (K-major) or k (MN-major)
  int64 extent_left;  // mn from there to the matrix's end
};

// `x` limited to 0 and `high`.
TW_DEVICE int Clamp(int x, int high) {
  return max(min(x, high), 0);
}

// What both ways of copying share: the thread's first unit and the limits of what it may read.
template <class Layout, int kThreads, int kUnit>
struct CopyCursor {
  using Map = CopyMap<Layout, kThreads, kUnit>;

  const char* pointer;  // of the thread's first unit in the next tile
  int64 row_step;       // bytes from unit to unit
  int64 tile_step;      // bytes from K tile to K tile
  int first_row;
  int byte;
  int limit;   // K-major: rows left below first_row; MN-major: bytes left right of `byte`
  int offset;  // of the first unit in the shared tile

  TW_DEVICE CopyCursor(const OperandSource& source, int thread)
      : row_step(Map::kRowStep * source.ld_bytes),
        tile_step(Layout::kKMajor ? Layout::kTileK * Layout::kBytes
                                  : Layout::kTileK * source.ld_bytes),
        first_row(Map::FirstRow(thread)),
        byte(Map::Byte(thread)),
        offset(Map::FirstOffset(thread)) {
    pointer = source.tile + first_row * source.ld_bytes + byte;
    int extent = static_cast<int>(Min(source.extent_left, Layout::kExtent));
    limit = Layout::kKMajor ? extent - first_row : extent * Layout::kBytes - byte;
    if (!Map::kAllThreads && thread >= Map::kUnits)
      limit = 0;
  }

  // Limits for a tile with `k_left` elements of K: unit j may read `bytes` (negative: none) where
  // j * kRowStep < rows.
  TW_DEVICE int Rows(int k_left) const { return Layout::kKMajor ? limit : k_left - first_row; }

  TW_DEVICE int Bytes(int k_left) const {
    return Layout::kKMajor ? k_left * Layout::kBytes - byte : limit;
  }
};

// cp.async of kCopyBytes at a time.
template <class Layout, int kThreads, int kCopyBytes>
struct AsyncCopy {
  using Cursor = CopyCursor<Layout, kThreads, kCopyBytes>;
  using Map = typename Cursor::Map;

  Cursor cursor;

  TW_DEVICE AsyncCopy(const OperandSource& source, int thread) : cursor(source, thread) {}

  // Starts the copy of the next tile into the shared tile at `shared`. Zero-fills what lies
  // outside the matrix. Requires: 0 < k_left.
  TW_DEVICE void Fetch(uint32 shared, int k_left) {
    int rows = cursor.Rows(k_left);
    int bytes = Clamp(cursor.Bytes(k_left), kCopyBytes);
    const char* unit = cursor.pointer;
#pragma unroll
    for (int j = 0; j < Map::kPerThread; ++j) {
      if (Map::kAllThreads || static_cast<int>(threadIdx.x) < Map::kUnits) {
        CpAsync<kCopyBytes>(shared + Map::UnitOffset(cursor.offset, j), unit,
                            j * Map::kRowStep < rows ? bytes : 0);
      }
      unit += cursor.row_step;
    }
    cursor.pointer += cursor.tile_step;
  }

  TW_DEVICE void Store(uint32) const {}
};

template <int kBytes>
struct BitsOf;

template <>
struct BitsOf<1> {
  using Type = uint8;
};

template <>
struct BitsOf<2> {
  using Type = uint16;
};

// For rows that are aligned to the element only (1 or 2 bytes), which cp.async cannot move: loads
// into registers, packed and stored one tile later.
template <class Layout, int kThreads>
struct StagedCopy {
  static constexpr int kWordBytes = 4;
  static constexpr int kParts = kWordBytes / Layout::kBytes;
  using Cursor = CopyCursor<Layout, kThreads, kWordBytes>;
  using Map = typename Cursor::Map;
  using Part = typename BitsOf<Layout::kBytes>::Type;

  Cursor cursor;
  Part parts[Map::kPerThread][kParts];

  TW_DEVICE StagedCopy(const OperandSource& source, int thread) : cursor(source, thread) {}

  // Loads the next tile into registers; zero outside the matrix.
  TW_DEVICE void Fetch(uint32, int k_left) {
    int rows = cursor.Rows(k_left);
    int bytes = cursor.Bytes(k_left);
    const char* unit = cursor.pointer;
#pragma unroll
    for (int j = 0; j < Map::kPerThread; ++j) {
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        bool inside = j * Map::kRowStep < rows && part * Layout::kBytes < bytes;
        parts[j][part] = inside ? reinterpret_cast<const Part*>(unit)[part] : Part(0);
      }
      unit += cursor.row_step;
    }
    cursor.pointer += cursor.tile_step;
  }

  // Stores what Fetch loaded.
  TW_DEVICE void Store(uint32 shared) const {
#pragma unroll
    for (int j = 0; j < Map::kPerThread; ++j) {
      uint32 word = 0;
#pragma unroll
      for (int part = 0; part < kParts; ++part)
        word |= static_cast<uint32>(parts[j][part]) << (part * Layout::kBytes * 8);
      if (Map::kAllThreads || static_cast<int>(threadIdx.x) < Map::kUnits) {
        StoreSharedWord(shared + Map::UnitOffset(cursor.offset, j), word);
      }
    }
  }
};

template <class Layout, int kThreads, int kCopyBytes, bool kAsync = (kCopyBytes >= 4)>
struct OperandCopyOf {
  using Type = AsyncCopy<Layout, kThreads, kCopyBytes>;
};

template <class Layout, int kThreads, int kCopyBytes>
struct OperandCopyOf<Layout, kThreads, kCopyBytes, false> {
  using Type = StagedCopy<Layout, kThreads>;
};

}  // namespace tw
