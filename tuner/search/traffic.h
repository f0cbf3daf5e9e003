// Memory traffic of a tiled product by waves of tiles. Pure arithmetic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tw {

// How one batch item is cut and in which order its tiles run: groups of `raster_group` tile rows
// are swept along N, rows fastest within a group; 1 is row-major order.
struct TileOrder {
  std::int64_t tiles_m = 0;
  std::int64_t tiles_n = 0;
  std::int64_t raster_group = 1;
  std::int64_t slots = 1;  // tiles that run at once: one wave
};

struct TrafficShape {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  int a_bytes = 0, b_bytes = 0, d_bytes = 0;  // per element
};

// Bytes when A and B are read once and D is written once.
double CompulsoryBytes(const TrafficShape& shape);

// Expected DRAM bytes. A wave reads each of its strips once (of A: tile_m x K, of B: K x tile_n),
// from DRAM where none did before, and otherwise the share that the L2 has lost: its blocks go
// along K together, so what an earlier wave read was followed by all that was touched from that
// wave to this one, D's tiles too. D is written once. Without an L2 every wave reads all of its
// strips. Exact for up to 256 waves; beyond that the first 256 are counted and scaled.
double DramBytes(const TrafficShape& shape, const TileOrder& order, std::int64_t l2_bytes);

}  // namespace tw
