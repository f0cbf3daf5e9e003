// Plan of the mma_sync family: threads, shared memory, registers, legality. Included by the kernel
// and by the host, so that both compute the same figures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw::mma_sync {

constexpr int kWarpThreads = 32;

// Narrowest copy of cp.async; narrower ones go through registers.
constexpr int kMinAsyncBytes = 4;

struct Plan {
  // The knobs. Tiles are in elements: tile_* of a block, warp_* of a warp.
  int tile_m, tile_n, tile_k;
  int warp_m, warp_n;
  int stages;   // k blocks in shared memory
  int group_m;  // tile rows that are swept together
  int split_k;  // slices of k, summed by a second kernel

  // What follows from the problem and the arch.
  int element_bytes;  // of A and B
  bool k_major_a;     // A is row-major
  bool k_major_b;     // B is column-major
  int copy_bytes_a;   // of one global access: as wide as the alignment of the rows allows
  int copy_bytes_b;
  int store_bytes;  // of one store of D (of the workspace where split_k > 1)
  int min_blocks;   // resident blocks per SM that the registers are capped for
  bool huge;        // counts of tiles need 64 bits
};

TW_HD constexpr int Larger(int a, int b) {
  return a > b ? a : b;
}

TW_HD constexpr int Threads(const Plan& p) {
  return p.tile_m / p.warp_m * (p.tile_n / p.warp_n) * kWarpThreads;
}

TW_HD constexpr int StageBytes(const Plan& p) {
  return (p.tile_m + p.tile_n) * p.tile_k * p.element_bytes;
}

// Rows (or columns) of accumulators that a warp turns round in shared memory at a time.
constexpr int kEpilogueLines = 16;

// Accumulators, of 4 bytes, from line to line. The padding keeps a warp's writes free of bank
// conflicts: pairs along the line where lines are rows, single words across where they are columns.
TW_HD constexpr int EpiloguePitch(bool lines_are_rows, int warp_m, int warp_n) {
  return lines_are_rows ? warp_n + 8 : warp_m + 4;
}

// Enough for either orientation of D.
TW_HD constexpr int EpilogueBytes(const Plan& p) {
  int pitch =
      Larger(EpiloguePitch(true, p.warp_m, p.warp_n), EpiloguePitch(false, p.warp_m, p.warp_n));
  return Threads(p) / kWarpThreads * kEpilogueLines * pitch * 4;
}

// The epilogue reuses the ring.
TW_HD constexpr int SmemBytes(const Plan& p) {
  return Larger(p.stages * StageBytes(p), EpilogueBytes(p));
}

TW_HD constexpr int Accumulators(const Plan& p) {
  return p.warp_m * p.warp_n / kWarpThreads;
}

// Two buffers; a lane holds two words for every eight rows of A or columns of B.
TW_HD constexpr int FragmentRegisters(const Plan& p) {
  return 2 * (p.warp_m + p.warp_n) / 8 * 2;
}

// One an element of the thread's share of a k block that goes through registers.
TW_HD constexpr int StagingRegisters(const Plan& p, int extent, int copy_bytes) {
  return copy_bytes >= kMinAsyncBytes ? 0 : (extent * p.tile_k + Threads(p) - 1) / Threads(p);
}

// Rows of bytes on their way to being transposed, and the addresses of more of them.
TW_HD constexpr int TransposeRegisters(const Plan& p, bool k_major) {
  if (p.element_bytes != 1 || k_major)
    return 0;
  return p.tile_k > 64 ? 12 : 8;
}

// Addresses, loop state and temporaries, from the compiler's reports for sm_80 and sm_90a.
constexpr int kOtherRegisters = 40;

TW_HD constexpr int RegistersEstimate(const Plan& p) {
  return Accumulators(p) + FragmentRegisters(p) + StagingRegisters(p, p.tile_m, p.copy_bytes_a) +
         StagingRegisters(p, p.tile_n, p.copy_bytes_b) + TransposeRegisters(p, p.k_major_a) +
         TransposeRegisters(p, p.k_major_b) + kOtherRegisters;
}

// One ldmatrix gives 16; bytes that are not K-major are transposed in blocks of 32.
TW_HD constexpr int MinWarpExtent(const Plan& p, bool k_major) {
  return p.element_bytes == 1 && !k_major ? 32 : 16;
}

TW_HD constexpr bool IsPowerOfTwo(int x) {
  return x > 0 && (x & (x - 1)) == 0;
}

constexpr int kMaxCopiesPerThread = 32;

// Whether a thread keeps its column of an operand's k block from copy to copy, and has not too
// many.
TW_HD constexpr bool CopyFits(const Plan& p, int extent, bool k_major, int copy_bytes) {
  int unit = Larger(copy_bytes, kMinAsyncBytes);
  int row_bytes = (k_major ? p.tile_k : extent) * p.element_bytes;
  int bytes = extent * p.tile_k * p.element_bytes;
  return row_bytes <= unit * Threads(p) && bytes <= kMaxCopiesPerThread * unit * Threads(p);
}

enum class Rule { kNone, kTile, kTileK, kWarpTile, kThreads, kStages, kCopy };

constexpr int kMaxThreads = 512;

TW_HD constexpr Rule Check(const Plan& p) {
  // Copies and swizzles are dealt out by powers of two.
  if (!IsPowerOfTwo(p.tile_m) || !IsPowerOfTwo(p.tile_n) || !IsPowerOfTwo(p.warp_m) ||
      !IsPowerOfTwo(p.warp_n))
    return Rule::kTile;
  // Fragment buffers alternate over an even number of 32-byte steps.
  int k_bytes = p.tile_k * p.element_bytes;
  if (k_bytes != 64 && k_bytes != 128 && k_bytes != 256)
    return Rule::kTileK;
  if (p.warp_m > p.tile_m || p.warp_n > p.tile_n || p.warp_m < MinWarpExtent(p, p.k_major_a) ||
      p.warp_n < MinWarpExtent(p, p.k_major_b))
    return Rule::kWarpTile;
  if (Threads(p) > kMaxThreads)
    return Rule::kThreads;
  // With one stage a copy would overwrite what is being read.
  if (p.stages < 2)
    return Rule::kStages;
  if (!CopyFits(p, p.tile_m, p.k_major_a, p.copy_bytes_a) ||
      !CopyFits(p, p.tile_n, p.k_major_b, p.copy_bytes_b))
    return Rule::kCopy;
  return Rule::kNone;
}

}  // namespace tw::mma_sync
