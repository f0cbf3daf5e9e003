// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/smem_feed.h"

#include "codegen/core/check.h"

namespace tw {

double FmaPerSmemByte(int m, int n, int element_bytes) {
  TW_CHECK(m > 0 && n > 0 && element_bytes > 0);
  return static_cast<double>(m) * n / (static_cast<double>(element_bytes) * (m + n));
}

double FmaPerSmemByteAInRegisters(int m, int n, int element_bytes) {
  TW_CHECK(m > 0 && n > 0 && element_bytes > 0);
  return static_cast<double>(m) / element_bytes;
}

double FmaPerSmemByteNeeded(double fma_per_clock) {
  return fma_per_clock / kSmemBytesPerClock;
}

int AccumulatorsPerThread(int m, int n, int threads) {
  TW_CHECK(threads > 0);
  return m * n / threads;
}

WarpTile SquarestWarpTile(int tile_m, int tile_n, int warps) {
  WarpTile best{.m = tile_m, .n = tile_n};
  bool found = false;
  for (int across_m = 1; across_m <= warps; across_m *= 2) {
    const int across_n = warps / across_m;
    if (across_m * across_n != warps || tile_m % across_m != 0 || tile_n % across_n != 0) {
      continue;
    }
    const WarpTile tile{.m = tile_m / across_m, .n = tile_n / across_n};
    if (!found || tile.m + tile.n < best.m + best.n) {
      best = tile;
      found = true;
    }
  }
  return best;
}

}  // namespace tw
