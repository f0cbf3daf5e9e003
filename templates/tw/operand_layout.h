// Where the elements of an operand's tile lie in shared memory, which of them a thread copies in,
// and which of them a lane reads as mma fragments. Index maths only: the kernel and a test on the
// host use the same functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/swizzle.h"

namespace tw {

// K of one mma.sync in bytes, for every type.
constexpr int kMmaKBytes = 32;

// How fragments leave shared memory. K-major tiles of every type go by ldmatrix, as do MN-major
// ones of 16-bit elements, transposed; MN-major 32-bit elements are loaded one by one; MN-major
// bytes are loaded as 4x4 blocks and transposed in registers.
enum class FragmentRead { kMatrix, kMatrixTransposed, kElements, kByteBlocks };

// A tile of kExtent rows of A (columns of B) by kTileK. "mn" counts along the extent. Shared rows
// hold consecutive k of one mn (K-major) or consecutive mn of one k. All sizes are powers of two.
//
// A warp's fragments are octets: eight values of mn, one for each lane / 4, by 32 bytes of K in
// two halves, a word each. mma.sync takes two octets of A by one of B.
template <bool kIsAValue, int kExtentValue, int kTileKValue, int kBytesValue, bool kKMajorValue>
struct OperandLayout {
  static constexpr bool kIsA = kIsAValue;
  static constexpr int kExtent = kExtentValue;
  static constexpr int kTileK = kTileKValue;
  static constexpr int kBytes = kBytesValue;  // of one element
  static constexpr bool kKMajor = kKMajorValue;

  static constexpr int kPitch = (kKMajor ? kTileK : kExtent) * kBytes;
  static constexpr int kRows = kKMajor ? kExtent : kTileK;
  static constexpr int kSize = kPitch * kRows;  // bytes
  static constexpr int kMmaK = kMmaKBytes / kBytes;
  static constexpr int kMmaSteps = kTileK / kMmaK;

  static constexpr FragmentRead kRead =
      kKMajor ? FragmentRead::kMatrix
              : (kBytes == 2 ? FragmentRead::kMatrixTransposed
                             : (kBytes == 4 ? FragmentRead::kElements : FragmentRead::kByteBlocks));

  // Bytes are transposed in blocks of four mn: octet o of a 32-block takes every fourth.
  static constexpr bool kInterleaved = kRead == FragmentRead::kByteBlocks;

  static constexpr Swizzle kSwizzle =
      kRead == FragmentRead::kElements
          ? WordSwizzle(kPitch)
          : (kRead == FragmentRead::kByteBlocks ? FourRowSwizzle(kPitch) : ChunkSwizzle(kPitch));

  TW_HD static constexpr int Key(int row) {
    constexpr Swizzle kLocal = kSwizzle;  // a local: device code may not take a member's address
    return kLocal.Key(row);
  }

  // Byte offset in the tile of byte `byte` of shared row `row`.
  TW_HD static constexpr int Offset(int row, int byte) {
    return row * kPitch + (byte ^ (Key(row) * kChunkBytes));
  }

  TW_HD static constexpr int ElementOffset(int mn, int k) {
    return kKMajor ? Offset(mn, k * kBytes) : Offset(k, mn * kBytes);
  }

  // mn, within the warp's tile, that lanes with lane / 4 == index hold in octet `octet`.
  TW_HD static constexpr int OctetMn(int octet, int index) {
    return kInterleaved ? octet / 4 * 32 + index * 4 + octet % 4 : octet * 8 + index;
  }

  // Place of a word in the lane's fragments, in the order of mma.sync's operands: A's words of two
  // octets follow each other low halves first, B's of one octet.
  TW_HD static constexpr int WordIndex(int octet, int half) {
    return kIsA ? octet / 2 * 4 + half * 2 + octet % 2 : octet * 2 + half;
  }

  // What a lane adds once to its reads. `warp_mn`: first mn of the warp's tile, a multiple of its
  // extent.
  TW_HD static constexpr int LaneOffset(int lane, int warp_mn) {
    // Lanes 8*i to 8*i + 7 address the 8x8 tile that becomes word i of WordIndex's order.
    int tile = lane / 8;
    int octet = kIsA ? tile % 2 : tile / 2;
    int half = kIsA ? tile / 2 : tile % 2;
    int row = 0;
    int byte = 0;
    if (kRead == FragmentRead::kMatrix) {
      row = warp_mn + octet * 8 + lane % 8;
      byte = half * kChunkBytes;
    } else if (kRead == FragmentRead::kMatrixTransposed) {
      row = half * 8 + lane % 8;
      byte = warp_mn * kBytes + octet * kChunkBytes;
    } else if (kRead == FragmentRead::kElements) {
      row = lane % 4;
      byte = (warp_mn + lane / 4) * kBytes;
    } else {
      row = lane % 4 * 4;
      byte = warp_mn + lane / 4 * 4;
    }
    return Offset(row, byte);
  }

  // K-major: address of ldmatrix for the two octets of `block`, both halves of step `step`: the
  // four words from WordIndex(2 * block, 0) on.
  TW_HD static constexpr int KMajorOffset(int lane_offset, int block, int step) {
    return (lane_offset ^ (step * kMmaKBytes)) + block * 16 * kPitch;
  }

  // MN-major: address of 32-byte block `block` along mn in the row `k` steps below the lane's.
  // kMatrixTransposed: as KMajorOffset, k = step * 16.
  // kElements: one octet, one half, k = step * 8 + half * 4.
  // kByteBlocks: row i of the 4x4 block of four octets, k = step * 32 + half * 16 + i.
  TW_HD static constexpr int MnMajorOffset(int lane_offset, int block, int k) {
    return (lane_offset ^ (block * 32)) + k * kPitch;
  }
};

// How kThreads threads copy a tile in units of kUnit bytes: unit j of a thread lies j * kRowStep
// shared rows below its first.
template <class Layout, int kThreads, int kUnit>
struct CopyMap {
  static constexpr int kUnitsPerRow = Layout::kPitch / kUnit;
  static constexpr int kUnits = Layout::kSize / kUnit;
  static constexpr int kPerThread = (kUnits + kThreads - 1) / kThreads;
  static constexpr int kRowStep = kThreads / kUnitsPerRow;
  static constexpr bool kAllThreads = kUnits >= kThreads;  // false: the first kUnits threads only
  static_assert(kThreads % kUnitsPerRow == 0, "a thread keeps its column");

  TW_HD static constexpr int FirstRow(int thread) { return thread / kUnitsPerRow; }

  TW_HD static constexpr int Byte(int thread) { return thread % kUnitsPerRow * kUnit; }

  TW_HD static constexpr int FirstOffset(int thread) {
    return Layout::Offset(FirstRow(thread), Byte(thread));
  }

  // Offset of unit j, from FirstOffset.
  TW_HD static constexpr int UnitOffset(int first_offset, int j) {
    return (first_offset ^ (Layout::Key(j * kRowStep) * kChunkBytes)) +
           j * kRowStep * Layout::kPitch;
  }
};

}  // namespace tw
