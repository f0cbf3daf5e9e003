// Plan of the wgmma_tma family: threads, registers, shared memory, legality. Included by the kernel
// and by the host, so that both compute the same figures.
//
// The kernel speaks of rows and columns: rows are the operand that wgmma takes 64 at a time,
// columns the one that it takes in steps of 8. Rows are M and columns N, or the other way round
// (`swap`). SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"
#include "tw/wgmma_descriptor.h"

namespace tw::wgmma_tma {

constexpr int kWarpgroup = 128;  // threads
constexpr int kStripRows = 64;   // of one wgmma
constexpr int kLineBytes = kSwizzleSpan;
constexpr int kSlabBytes = kStripRows * kLineBytes;  // of D on its way out
constexpr int kSlabs = 2;                            // a consumer
constexpr int kMostBox = 256;                        // elements along one dimension of a TMA box

// Who sums the slices of a split k, or the parts of tiles that runs of k blocks cut.
enum class Reduce {
  kKernel,   // a second kernel, from the workspace
  kGrid,     // the blocks themselves, all resident, through the workspace
  kCluster,  // the blocks themselves, a cluster, through their shared memory
  kStream,   // the block that has a tile's first k blocks (stream-K); k is not split otherwise
};

struct Plan {
  // The knobs.
  int tile_rows, tile_cols;        // elements of D that a block computes at a time
  int consumers;                   // warpgroups that multiply
  bool pingpong;                   // consumers take turns at whole tiles instead of sharing each
  int stages;                      // k blocks in shared memory
  int cluster_rows, cluster_cols;  // blocks of a cluster along D; they share what they load
  int group;                       // tile rows of M that are swept together
  int split_k;                     // slices of k
  Reduce reduce;                   // kKernel where k is not split
  bool swap;                       // rows are N
  bool deferred;                   // a stage is given back one k block later
  bool tma_store;                  // D leaves by TMA
  int blocks_per_sm;
  int temporaries;  // sums of one k block, added in fp32; 0: the tensor cores add all of k
  int unroll;       // k blocks in straight-line code where there are temporaries

  // What follows from the problem.
  int element_bytes;  // of A and B
  bool integers;      // A and B are, and the sums
  bool row_k_major;   // the rows' operand is contiguous along k
  bool col_k_major;
  bool row_once;  // no two tiles need the same rows' operand: the L2 need not keep it
  bool col_once;
  bool lines_are_rows;  // what is written is contiguous along the columns
  int out_bytes;        // of an element that is written: D, or the sums of split-K
  int store_bytes;      // of one store where D does not leave by TMA
  int row_map_rank;     // of the operands' maps: 3 where there is a batch of them, 2 otherwise
  int col_map_rank;
  int out_map_rank;
};

// Blocks that share operands.
TW_HD constexpr int SharingBlocks(const Plan& p) {
  return p.cluster_rows * p.cluster_cols;
}

// Blocks of a cluster.
TW_HD constexpr int ClusterBlocks(const Plan& p) {
  return p.reduce == Reduce::kCluster ? p.split_k : SharingBlocks(p);
}

TW_HD constexpr int Threads(const Plan& p) {
  return (1 + p.consumers) * kWarpgroup;
}

// Elements of k in a k block: one line.
TW_HD constexpr int BlockK(const Plan& p) {
  return kLineBytes / p.element_bytes;
}

// Wgmma strips that a consumer keeps the sums of.
TW_HD constexpr int Strips(const Plan& p) {
  return p.tile_rows / kStripRows / (p.pingpong ? 1 : p.consumers);
}

TW_HD constexpr int RowBytes(const Plan& p) {
  return p.tile_rows * kLineBytes;
}

TW_HD constexpr int ColBytes(const Plan& p) {
  return p.tile_cols * kLineBytes;
}

TW_HD constexpr int StageBytes(const Plan& p) {
  return RowBytes(p) + ColBytes(p);
}

// Shared memory, from an address that is a multiple of the swizzle's pattern: ring of stages,
// slabs, two barriers a stage.
TW_HD constexpr int SlabOffset(const Plan& p) {
  return p.stages * StageBytes(p);
}

// Blocks that sum slices together store from registers.
TW_HD constexpr bool UsesSlabs(const Plan& p) {
  return p.reduce == Reduce::kKernel || p.reduce == Reduce::kStream;
}

TW_HD constexpr int BarrierOffset(const Plan& p) {
  return SlabOffset(p) + (UsesSlabs(p) ? p.consumers * kSlabs * kSlabBytes : 0);
}

TW_HD constexpr int SmemBytes(const Plan& p) {
  return kSwizzlePattern + BarrierOffset(p) + p.stages * 2 * 8;
}

// A thread's registers as the block starts: the register file shared out evenly.
TW_HD constexpr int LaunchRegisters(const Plan& p) {
  constexpr int kFile = 65536;
  constexpr int kMost = 255;
  int share = kFile / (Threads(p) * p.blocks_per_sm) / 8 * 8;
  return share < kMost ? share : kMost;
}

// 32-bit sums of a thread, temporary ones with them.
TW_HD constexpr int Accumulators(const Plan& p) {
  return Strips(p) * p.tile_cols / 2 * (1 + p.temporaries);
}

// Descriptors, loop state, addresses of the epilogue, in which temporary sums are gone; from the
// compiler's reports.
constexpr int kOtherRegisters = 40;
constexpr int kOtherRegistersBesideTemporaries = 32;

// What the compiler needs besides one wgmma's sums (its message C7602 says so).
constexpr int kWgmmaRegisters = 26;

TW_HD constexpr int RegistersNeeded(const Plan& p) {
  return Accumulators(p) + (p.temporaries > 0 ? kOtherRegistersBesideTemporaries : kOtherRegisters);
}

// Whether the producer hands registers to the consumers.
TW_HD constexpr bool MovesRegisters(const Plan& p) {
  constexpr int kEnough = 232;
  return LaunchRegisters(p) < kEnough;
}

TW_HD constexpr int ProducerRegisters(const Plan& p) {
  return p.consumers == 2 && p.blocks_per_sm == 1 && Accumulators(p) <= 160 ? 40
         : p.consumers == 3                                                 ? 32
                                                                            : 24;
}

TW_HD constexpr int ConsumerRegisters(const Plan& p) {
  if (!MovesRegisters(p))
    return LaunchRegisters(p);
  constexpr int kMost = 240;
  int each = (LaunchRegisters(p) * (1 + p.consumers) - ProducerRegisters(p)) / p.consumers / 8 * 8;
  return each < kMost ? each : kMost;
}

enum class Rule {
  kNone,
  kRows,
  kCols,
  kConsumers,
  kStages,
  kCluster,
  kBox,
  kRegisters,
  kBlocks,
  kReduce,
  kMajor,
  kTemporaries,
  kOutput,
};

// The hardware's portable limit.
constexpr int kMostClusterBlocks = 8;

// Workspace of Reduce::kGrid: a counter for each tile, apart from each other, then the sums of each
// tile and slice. Of Reduce::kStream: a counter for each block, then the sums of each block.
constexpr int kCounterBytes = 128;

TW_HD constexpr int64 SliceBytes(const Plan& p) {
  return int64{4} * p.tile_rows * p.tile_cols;
}

TW_HD constexpr bool ReduceFits(const Plan& p) {
  // Partial sums do not go to D.
  if (p.reduce == Reduce::kKernel)
    return p.split_k == 1 || !p.tma_store;
  if (p.reduce == Reduce::kStream)
    return p.split_k == 1 && !p.pingpong && SharingBlocks(p) == 1;
  if (p.split_k < 2 || p.pingpong || p.tma_store || SharingBlocks(p) > 1)
    return false;
  // The slices' sums take the place of the drained ring.
  return p.reduce == Reduce::kGrid ||
         (p.split_k <= kMostClusterBlocks && SliceBytes(p) <= int64{p.stages} * StageBytes(p));
}

// A cluster's blocks load equal shares of a tile, each whole patterns of the swizzle.
TW_HD constexpr bool SharesEvenly(int extent, int blocks, bool k_major) {
  return extent % (blocks * (k_major ? 8 : kStripRows)) == 0;
}

// wgmma takes columns in steps of 8, integers beyond 32 in steps of 16; 8-bit outputs leave the
// slabs in units of 16. A line of an MN-major operand is 64 of its elements.
TW_HD constexpr int ColumnStep(const Plan& p) {
  if (!p.col_k_major)
    return kStripRows;
  const bool wide = (p.integers && p.tile_cols > 32) || (p.out_bytes == 1 && UsesSlabs(p));
  return wide ? 16 : 8;
}

// Temporary sums are those of 8-bit floats; turns leave no gap to add them in.
TW_HD constexpr bool TemporariesFit(const Plan& p) {
  if (p.temporaries == 0)
    return p.unroll == 1;
  return p.temporaries <= 2 && p.unroll >= p.temporaries && p.element_bytes == 1 && !p.integers &&
         !p.pingpong && Strips(p) == 1;
}

// 8-bit outputs leave the slabs row by row.
TW_HD constexpr bool OutputFits(const Plan& p) {
  return p.out_bytes > 1 || !UsesSlabs(p) || p.lines_are_rows;
}

TW_HD constexpr Rule CheckTile(const Plan& p) {
  if (p.consumers < 1 || p.consumers > 3 || (p.pingpong && p.consumers != 2))
    return Rule::kConsumers;
  if (p.tile_rows <= 0 || p.tile_rows % (kStripRows * (p.pingpong ? 1 : p.consumers)) != 0)
    return Rule::kRows;
  if (p.tile_cols < 8 || p.tile_cols > 256 || p.tile_cols % ColumnStep(p) != 0)
    return Rule::kCols;
  // Only 16-bit operands may be contiguous along the rows or columns.
  if (p.element_bytes != 2 && !(p.row_k_major && p.col_k_major))
    return Rule::kMajor;
  if (!TemporariesFit(p))
    return Rule::kTemporaries;
  if (!OutputFits(p))
    return Rule::kOutput;
  return p.stages < 2 ? Rule::kStages : Rule::kNone;
}

TW_HD constexpr Rule CheckLoads(const Plan& p) {
  if (SharingBlocks(p) > kMostClusterBlocks)
    return Rule::kCluster;
  // What the columns' blocks share are the rows' operand, and the other way round.
  if (!SharesEvenly(p.tile_rows, p.cluster_cols, p.row_k_major) ||
      !SharesEvenly(p.tile_cols, p.cluster_rows, p.col_k_major))
    return Rule::kCluster;
  if ((p.row_k_major && p.tile_rows / p.cluster_cols > kMostBox) ||
      (p.col_k_major && p.tile_cols / p.cluster_rows > kMostBox))
    return Rule::kBox;
  return Rule::kNone;
}

TW_HD constexpr Rule CheckRegisters(const Plan& p) {
  // Setmaxnreg deals in no fewer than 24.
  if (p.blocks_per_sm < 1 || LaunchRegisters(p) < 24)
    return Rule::kBlocks;
  // The compiler gives one wgmma no more than the launch starts with.
  if (RegistersNeeded(p) > ConsumerRegisters(p) ||
      p.tile_cols / 2 + kWgmmaRegisters > LaunchRegisters(p))
    return Rule::kRegisters;
  return Rule::kNone;
}

// The first rule that the plan breaks.
TW_HD constexpr Rule Check(const Plan& p) {
  if (Rule rule = CheckTile(p); rule != Rule::kNone)
    return rule;
  if (Rule rule = CheckLoads(p); rule != Rule::kNone)
    return rule;
  if (Rule rule = CheckRegisters(p); rule != Rule::kNone)
    return rule;
  return ReduceFits(p) ? Rule::kNone : Rule::kReduce;
}

}  // namespace tw::wgmma_tma
