// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/traffic.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "codegen/core/check.h"

namespace tw {
namespace {

constexpr std::int64_t kMaxWavesCounted = 256;

// The L2 of large devices is split in partitions and shared with skewed tiles: this share of it
// holds operands from one wave to the next.
constexpr double kUsefulL2Share = 0.6;

constexpr std::int64_t kNever = -1;

std::int64_t CeilDiv(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

struct UnitBytes {
  double a_strip = 0, b_strip = 0, d_tile = 0;
};

// Edge tiles are narrower: means over the rows and columns that exist.
UnitBytes UnitBytesOf(const TrafficShape& shape, const TileOrder& order) {
  const double strip_m = static_cast<double>(shape.m) / static_cast<double>(order.tiles_m);
  const double strip_n = static_cast<double>(shape.n) / static_cast<double>(order.tiles_n);
  const double k = static_cast<double>(shape.k);
  return {.a_strip = strip_m * k * shape.a_bytes,
          .b_strip = strip_n * k * shape.b_bytes,
          .d_tile = strip_m * strip_n * shape.d_bytes};
}

// Waves of one batch item, one after the other, before an L2 that forgets what was touched longest
// ago.
class Waves {
 public:
  Waves(const TileOrder& order, const UnitBytes& unit, double l2_bytes)
      : order_(order), unit_(unit), l2_bytes_(l2_bytes) {
    // A strip's number is at most that of the first tile that needs it.
    const std::int64_t tiles = kMaxWavesCounted * order.slots;
    rows_.assign(static_cast<std::size_t>(std::min(order.tiles_m, tiles)), kNever);
    columns_.assign(static_cast<std::size_t>(std::min(order.tiles_n, tiles)), kNever);
  }

  // Bytes that the wave of tiles [begin, end) of the raster order reads though another wave has.
  double ReadAgain(std::int64_t begin, std::int64_t end) {
    SumUpTouched();
    touched_.push_back(static_cast<double>(end - begin) * unit_.d_tile);
    const std::int64_t group_tiles = order_.raster_group * order_.tiles_n;
    double again = 0;
    for (std::int64_t at = begin; at < end;) {
      const std::int64_t first_row = at / group_tiles * order_.raster_group;
      const std::int64_t group_rows = std::min(order_.raster_group, order_.tiles_m - first_row);
      const std::int64_t group_begin = first_row * order_.tiles_n;
      const std::int64_t from = at - group_begin;
      at = std::min(end, group_begin + group_rows * order_.tiles_n);
      const std::int64_t to = at - group_begin;
      for (std::int64_t i = from; i < std::min(to, from + group_rows); ++i)
        again += Touch(rows_, first_row + i % group_rows, unit_.a_strip);
      for (std::int64_t column = from / group_rows; column <= (to - 1) / group_rows; ++column)
        again += Touch(columns_, column, unit_.b_strip);
    }
    return again;
  }

 private:
  // since_[w]: bytes touched from wave w on.
  void SumUpTouched() {
    since_.resize(touched_.size());
    double sum = 0;
    for (std::size_t wave = touched_.size(); wave-- > 0;)
      since_[wave] = sum += touched_[wave];
  }

  // By the present wave; the bytes of the strip that the L2 has lost.
  double Touch(std::vector<std::int64_t>& strips, std::int64_t strip, double bytes) {
    const std::int64_t now = std::ssize(touched_) - 1;
    std::int64_t& last = strips[static_cast<std::size_t>(strip)];
    const std::int64_t before = last;
    if (before == now)
      return 0;
    last = now;
    touched_[static_cast<std::size_t>(now)] += bytes;
    if (before == kNever)
      return 0;
    touched_[static_cast<std::size_t>(before)] -= bytes;
    const double since = since_[static_cast<std::size_t>(before)];
    return since > l2_bytes_ ? bytes * (1 - l2_bytes_ / since) : 0;
  }

  const TileOrder& order_;
  UnitBytes unit_;
  double l2_bytes_;
  std::vector<std::int64_t> rows_, columns_;  // the wave that touched a strip last
  std::vector<double> touched_;               // bytes that no later wave has touched, by wave
  std::vector<double> since_;
};

// Of one batch item.
double ReadAgain(const TileOrder& order, const UnitBytes& unit, double l2_bytes) {
  const std::int64_t tiles = order.tiles_m * order.tiles_n;
  const std::int64_t count = CeilDiv(tiles, order.slots);
  const std::int64_t counted = std::min(count, kMaxWavesCounted);
  Waves waves(order, unit, l2_bytes);
  double again = 0;
  for (std::int64_t wave = 0; wave < counted; ++wave) {
    const std::int64_t begin = wave * order.slots;
    again += waves.ReadAgain(begin, std::min(tiles, begin + order.slots));
  }
  return again * static_cast<double>(count) / static_cast<double>(counted);
}

}  // namespace

double CompulsoryBytes(const TrafficShape& shape) {
  const double m = static_cast<double>(shape.m);
  const double n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k);
  return (m * k * shape.a_bytes + k * n * shape.b_bytes + m * n * shape.d_bytes) *
         static_cast<double>(shape.batch);
}

double DramBytes(const TrafficShape& shape, const TileOrder& order, std::int64_t l2_bytes) {
  TW_CHECK(order.slots >= 1 && order.raster_group >= 1);
  const double compulsory = CompulsoryBytes(shape);
  if (order.tiles_m <= 0 || order.tiles_n <= 0) {
    return compulsory;
  }
  const double useful = kUsefulL2Share * static_cast<double>(l2_bytes);
  return compulsory +
         static_cast<double>(shape.batch) * ReadAgain(order, UnitBytesOf(shape, order), useful);
}

}  // namespace tw
