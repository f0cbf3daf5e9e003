// Plan of the simt family: thread layout, shared memory, registers, legality. Included by the
// kernel and by the host, so that both compute the same figures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw::simt {

// A warp's lanes form a 4 x 8 grid over its part of the tile.
constexpr int kLanesM = 4;
constexpr int kLanesN = 8;
constexpr int kWarpLanes = kLanesM * kLanesN;

// Widest access of global and shared memory.
constexpr int kMaxAccessBytes = 16;

// Words that follow each shared row of an operand that is transposed on its way in. 4 keeps rows
// aligned for 16-byte reads and puts the k rows of one store into different banks.
constexpr int kTransposePad = 4;

// Registers besides accumulators, fragments, copies and pointers: addresses, counters, parameters.
// What the compiler takes when it may, and what it can do with under a cap (its reports for
// sm_90a).
constexpr int kOtherRegisters = 36;
constexpr int kLeastOtherRegisters = 16;

// Bytes that are loaded one by one at the edges and packed into words.
constexpr int kPackRegisters = 48;

struct Plan {
  // The knobs. Tiles are in elements: tile_* of a block, thread_* of a thread.
  int tile_m, tile_n, tile_k;
  int thread_m, thread_n;
  int stages;      // k blocks in shared memory
  int group_m;     // tile rows that are swept together
  int min_blocks;  // resident blocks per SM that the registers are capped for
  int split_k;     // slices of k, summed by a second kernel

  // What follows from the problem and the arch.
  int in_bytes;    // an element of A or B in global memory
  int word_bytes;  // an element in shared memory; with pack > 1, `pack` consecutive k
  int pack;        // 4 for s8 (dp4a), else 1
  int access_a;    // elements of A per global access
  int access_b;
  int access_out;       // elements of D (of the workspace where split_k > 1) per store
  bool k_contiguous_a;  // A is row-major
  bool k_contiguous_b;  // B is column-major
  bool async;           // cp.async can fill shared memory: sm_80, and words are stored elements
  bool huge;            // counts of tiles or of k blocks need 64 bits
};

// How the threads of a block share the copy of an operand's k block. A unit is what a thread
// copies at once: `access` elements, or 4 k of them where words are packed.
struct CopyShape {
  int unit_k, unit_mn;
  int units;       // of the k block
  int per_thread;  // at least 1; threads beyond `units` idle
};

TW_HD constexpr int Larger(int a, int b) {
  return a > b ? a : b;
}

TW_HD constexpr int Smaller(int a, int b) {
  return a < b ? a : b;
}

TW_HD constexpr int WarpsM(const Plan& p) {
  return p.tile_m / (kLanesM * p.thread_m);
}

TW_HD constexpr int WarpsN(const Plan& p) {
  return p.tile_n / (kLanesN * p.thread_n);
}

TW_HD constexpr int Threads(const Plan& p) {
  return WarpsM(p) * WarpsN(p) * kWarpLanes;
}

// Shared rows of a k block.
TW_HD constexpr int WordRows(const Plan& p) {
  return p.tile_k / p.pack;
}

// Words from one shared row to the next.
TW_HD constexpr int PitchA(const Plan& p) {
  return p.tile_m + (p.k_contiguous_a ? kTransposePad : 0);
}

TW_HD constexpr int PitchB(const Plan& p) {
  return p.tile_n + (p.k_contiguous_b ? kTransposePad : 0);
}

TW_HD constexpr int StageWords(const Plan& p) {
  return WordRows(p) * (PitchA(p) + PitchB(p));
}

TW_HD constexpr int SmemBytes(const Plan& p) {
  return p.stages * StageWords(p) * p.word_bytes;
}

TW_HD constexpr bool AsyncA(const Plan& p) {
  return p.async && !p.k_contiguous_a && p.access_a * p.in_bytes >= 4;
}

TW_HD constexpr bool AsyncB(const Plan& p) {
  return p.async && !p.k_contiguous_b && p.access_b * p.in_bytes >= 4;
}

TW_HD constexpr CopyShape ShapeOfCopy(const Plan& p, int tile_mn, int access, bool k_contiguous) {
  CopyShape shape{};
  shape.unit_k = k_contiguous ? Larger(access, p.pack) : p.pack;
  shape.unit_mn = k_contiguous ? 1 : access;
  shape.units = tile_mn / shape.unit_mn * (p.tile_k / shape.unit_k);
  shape.per_thread = Larger(1, shape.units / Threads(p));
  return shape;
}

TW_HD constexpr CopyShape CopyOfA(const Plan& p) {
  return ShapeOfCopy(p, p.tile_m, p.access_a, p.k_contiguous_a);
}

TW_HD constexpr CopyShape CopyOfB(const Plan& p) {
  return ShapeOfCopy(p, p.tile_n, p.access_b, p.k_contiguous_b);
}

// Registers that hold a k block between its load and its store.
TW_HD constexpr int StagingRegisters(const Plan& p, const CopyShape& shape) {
  int bytes = shape.unit_k * shape.unit_mn * p.in_bytes;
  return shape.per_thread * ((bytes + 3) / 4);
}

// Accumulators, fragments of two steps, staged copies, pointers.
TW_HD constexpr int TileRegisters(const Plan& p) {
  int fragments = 2 * (p.thread_m + p.thread_n);
  return (p.thread_m * p.thread_n + fragments) * (p.word_bytes / 4) +
         (AsyncA(p) ? 0 : StagingRegisters(p, CopyOfA(p))) +
         (AsyncB(p) ? 0 : StagingRegisters(p, CopyOfB(p))) +
         2 * (CopyOfA(p).per_thread + CopyOfB(p).per_thread);
}

// Per thread, without a cap.
TW_HD constexpr int RegistersEstimate(const Plan& p) {
  return TileRegisters(p) + kOtherRegisters;
}

// Fewest that do not spill.
TW_HD constexpr int RegistersMinimum(const Plan& p) {
  return TileRegisters(p) + kLeastOtherRegisters + (p.pack > 1 ? kPackRegisters : 0);
}

enum class Rule { kNone, kThreads, kTileK, kStages };

constexpr int kMaxThreads = 512;

TW_HD constexpr bool IsPowerOfTwo(int x) {
  return x > 0 && (x & (x - 1)) == 0;
}

TW_HD constexpr Rule Check(const Plan& p) {
  // A block is a grid of whole warps, and copies are dealt out by powers of two.
  if (p.tile_m % (kLanesM * p.thread_m) != 0 || p.tile_n % (kLanesN * p.thread_n) != 0 ||
      !IsPowerOfTwo(Threads(p)) || Threads(p) > kMaxThreads)
    return Rule::kThreads;
  // A unit of the copy lies within the k block, and fragments are double-buffered in pairs of rows.
  if (CopyOfA(p).unit_k > p.tile_k || CopyOfB(p).unit_k > p.tile_k || WordRows(p) % 2 != 0)
    return Rule::kTileK;
  // Registers carry one k block of an operand: a deeper ring only helps asynchronous copies.
  if (p.stages < 2 || (p.stages > 2 && !AsyncA(p) && !AsyncB(p)))
    return Rule::kStages;
  return Rule::kNone;
}

}  // namespace tw::simt
