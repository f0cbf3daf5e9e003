// Shared memory as the feed of the arithmetic units: reuse of warp tiles. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tw {

// Bandwidth of shared memory, reads and writes together, of every device since sm_70.
inline constexpr double kSmemBytesPerClock = 128;

// Multiply-adds per byte read from shared memory when a unit computes m x n outputs of one k step
// from operands of `element_bytes`: m*n / (bytes * (m + n)).
double FmaPerSmemByte(int m, int n, int element_bytes);

// The same with A held in registers: only B is read.
double FmaPerSmemByteAInRegisters(int m, int n, int element_bytes);

// Reuse below which shared memory limits the arithmetic.
double FmaPerSmemByteNeeded(double fma_per_clock);

// Accumulators that each thread holds for an m x n tile.
int AccumulatorsPerThread(int m, int n, int threads);

struct WarpTile {
  int m = 0, n = 0;
};

// The power-of-two cut of a block tile over `warps` with the least operand traffic; the tile
// itself for one warp.
WarpTile SquarestWarpTile(int tile_m, int tile_n, int warps);

}  // namespace tw
