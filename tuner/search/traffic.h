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

// Distinct strips that the waves touch, summed over all waves. A strip of A is tile_m x K, one of
// B is K x tile_n.
struct StripCounts {
  double a_strips = 0;
  double b_strips = 0;
};

// Exact for up to 256 waves; beyond that the first 256 are counted and scaled.
StripCounts CountStrips(const TileOrder& order);

struct TrafficShape {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  int a_bytes = 0, b_bytes = 0, d_bytes = 0;  // per element
};

// Bytes when every wave reads each of its strips once and D is written once: no reuse between
// waves.
double WaveTrafficBytes(const TrafficShape& shape, const TileOrder& order);

// Bytes when A and B are read once and D is written once.
double CompulsoryBytes(const TrafficShape& shape);

// Expected DRAM bytes: between compulsory (operands fit in the useful part of the L2) and wave
// traffic (operands are far larger).
double DramBytes(const TrafficShape& shape, const TileOrder& order, std::int64_t l2_bytes);

}  // namespace tw
