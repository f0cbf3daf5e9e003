// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/traffic.h"

#include <algorithm>

#include "codegen/core/check.h"

namespace tw {
namespace {

constexpr std::int64_t kMaxWavesCounted = 256;

// The L2 of large devices is split in partitions and shared with D and with skewed tiles: this
// share of it holds operands from one wave to the next.
constexpr double kUsefulL2Share = 0.6;

std::int64_t CeilDiv(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// Strips of tiles [begin, end) of the raster order.
StripCounts CountRange(const TileOrder& order, std::int64_t begin, std::int64_t end) {
  const std::int64_t group_tiles = order.raster_group * order.tiles_n;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t group = at / group_tiles;
    const std::int64_t first_row = group * order.raster_group;
    const std::int64_t group_rows = std::min(order.raster_group, order.tiles_m - first_row);
    const std::int64_t group_begin = group * group_tiles;
    const std::int64_t stop = std::min(end, group_begin + group_rows * order.tiles_n);
    rows += std::min(group_rows, stop - at);
    columns += (stop - 1 - group_begin) / group_rows - (at - group_begin) / group_rows + 1;
    at = stop;
  }
  // Column ranges of neighbouring groups are a suffix, whole rows and a prefix: they overlap only
  // where together they exceed the row.
  return {.a_strips = static_cast<double>(rows),
          .b_strips = static_cast<double>(std::min(columns, order.tiles_n))};
}

}  // namespace

StripCounts CountStrips(const TileOrder& order) {
  TW_CHECK(order.slots >= 1 && order.raster_group >= 1);
  const std::int64_t tiles = order.tiles_m * order.tiles_n;
  const std::int64_t waves = CeilDiv(tiles, order.slots);
  const std::int64_t counted = std::min(waves, kMaxWavesCounted);
  StripCounts sum;
  for (std::int64_t wave = 0; wave < counted; ++wave) {
    const std::int64_t begin = wave * order.slots;
    const StripCounts strips = CountRange(order, begin, std::min(tiles, begin + order.slots));
    sum.a_strips += strips.a_strips;
    sum.b_strips += strips.b_strips;
  }
  if (counted < waves) {
    const double scale = static_cast<double>(waves) / static_cast<double>(counted);
    sum.a_strips *= scale;
    sum.b_strips *= scale;
  }
  return sum;
}

double WaveTrafficBytes(const TrafficShape& shape, const TileOrder& order) {
  const double m = static_cast<double>(shape.m);
  const double n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k);
  if (order.tiles_m <= 0 || order.tiles_n <= 0) {
    return 0;
  }
  const StripCounts strips = CountStrips(order);
  // Rows and columns that exist: edge tiles are narrower.
  const double strip_m = m / static_cast<double>(order.tiles_m);
  const double strip_n = n / static_cast<double>(order.tiles_n);
  const double per_item = strips.a_strips * strip_m * k * shape.a_bytes +
                          strips.b_strips * strip_n * k * shape.b_bytes + m * n * shape.d_bytes;
  return per_item * static_cast<double>(shape.batch);
}

double CompulsoryBytes(const TrafficShape& shape) {
  const double m = static_cast<double>(shape.m);
  const double n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k);
  return (m * k * shape.a_bytes + k * n * shape.b_bytes + m * n * shape.d_bytes) *
         static_cast<double>(shape.batch);
}

double DramBytes(const TrafficShape& shape, const TileOrder& order, std::int64_t l2_bytes) {
  const double compulsory = CompulsoryBytes(shape);
  const double traffic = std::max(compulsory, WaveTrafficBytes(shape, order));
  const double item_bytes =
      compulsory / static_cast<double>(std::max<std::int64_t>(1, shape.batch));
  if (item_bytes <= 0) {
    return 0;
  }
  const double excess = item_bytes - kUsefulL2Share * static_cast<double>(l2_bytes);
  const double missed = std::clamp(excess / item_bytes, 0.0, 1.0);
  return compulsory + (traffic - compulsory) * missed;
}

}  // namespace tw
