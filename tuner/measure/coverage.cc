// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/coverage.h"

#include <algorithm>

#include "tw/verify/random.cuh"

namespace tw {
namespace {

constexpr std::int64_t kRandomTiles = 512;

std::int64_t TilesAlong(std::int64_t extent) {
  return CeilDiv(extent, kReferenceTile);
}

// Start of a tile that begins at `first` or, where that would pass the edge, ends there.
std::int64_t Inside(std::int64_t first, std::int64_t extent) {
  return std::max<std::int64_t>(std::min(first, extent - kReferenceTile), 0);
}

void AddStrips(const GemmProblem& p, std::int64_t item, std::vector<Position>& tiles) {
  for (std::int64_t row : {std::int64_t{0}, Inside(p.m, p.m)}) {
    for (std::int64_t i = 0; i < TilesAlong(p.n); ++i)
      tiles.push_back({item, row, Inside(i * kReferenceTile, p.n)});
  }
  for (std::int64_t col : {std::int64_t{0}, Inside(p.n, p.n)}) {
    for (std::int64_t i = 0; i < TilesAlong(p.m); ++i)
      tiles.push_back({item, Inside(i * kReferenceTile, p.m), col});
  }
}

// 0 .. count - 1.
std::int64_t Draw(std::uint64_t counter, std::uint64_t seed, std::int64_t count) {
  return static_cast<std::int64_t>(HashCounter(counter, seed) % static_cast<std::uint64_t>(count));
}

}  // namespace

bool IsSampled(const GemmProblem& problem, double full_flops) {
  const double slots =
      static_cast<double>(SampledTileCount(problem)) * static_cast<double>(kTileSlots);
  const double elements = static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                          static_cast<double>(problem.batch);
  return Flops(problem) > full_flops && slots < elements / 2;
}

std::int64_t SampledTileCount(const GemmProblem& p) {
  return 2 * (TilesAlong(p.m) + TilesAlong(p.n)) * (p.batch > 1 ? 2 : 1) + kRandomTiles;
}

std::vector<Position> SampledTiles(const GemmProblem& p, std::uint64_t seed) {
  std::vector<Position> tiles;
  AddStrips(p, 0, tiles);
  if (p.batch > 1)
    AddStrips(p, p.batch - 1, tiles);
  for (std::uint64_t i = 0; i < kRandomTiles; ++i) {
    tiles.push_back({Draw(3 * i, seed, p.batch), Draw(3 * i + 1, seed, Inside(p.m, p.m) + 1),
                     Draw(3 * i + 2, seed, Inside(p.n, p.n) + 1)});
  }
  return tiles;
}

std::string CoverageText(const GemmProblem& problem, std::int64_t tiles) {
  if (tiles == 0)
    return "all of D";
  return "sampled: " + std::to_string(tiles * kTileSlots) + " of " +
         std::to_string(problem.m * problem.n * problem.batch) + " elements";
}

}  // namespace tw
