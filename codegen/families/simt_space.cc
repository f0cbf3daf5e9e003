// Which configurations of simt are worth a look for a problem.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "codegen/families/simt.h"
#include "tw/base.cuh"

namespace tw {

namespace {

struct Shape {
  int tile_m, tile_n, thread_m, thread_n;
};

// Large thread tiles feed the multiply-adds with the fewest reads of shared memory, small tiles
// give more blocks.
constexpr std::array<Shape, 19> kShapes{{
    {256, 128, 16, 8}, {128, 256, 8, 16}, {128, 128, 8, 8}, {128, 128, 16, 8}, {128, 128, 8, 16},
    {256, 64, 8, 8},   {64, 256, 8, 8},   {128, 64, 8, 8},  {64, 128, 8, 8},   {64, 64, 8, 8},
    {64, 64, 4, 4},    {128, 32, 8, 4},   {32, 128, 4, 8},  {64, 32, 4, 4},    {32, 64, 4, 4},
    {32, 32, 4, 4},    {16, 128, 4, 4},   {16, 64, 4, 4},   {16, 32, 4, 4},
}};

constexpr int kSmallestTileM = 16;
constexpr int kSmallestTileN = 32;

// A shape this much smaller than the largest that fills the device twice is not worth a look: it
// reads that much more.
constexpr int kAreaRange = 8;

std::int64_t TilesOf(const GemmProblem& problem, const Shape& shape) {
  return CeilDiv(problem.m, shape.tile_m) * CeilDiv(problem.n, shape.tile_n) * problem.batch;
}

bool Exceeds(const GemmProblem& problem, const Shape& shape) {
  return (shape.tile_m > kSmallestTileM && shape.tile_m / 2 >= problem.m) ||
         (shape.tile_n > kSmallestTileN && shape.tile_n / 2 >= problem.n);
}

std::vector<Shape> ShapesFor(const GemmProblem& problem, const DeviceSpec& device) {
  std::int64_t least_area = 0;
  for (const Shape& shape : kShapes) {
    std::int64_t area = std::int64_t{shape.tile_m} * shape.tile_n;
    if (!Exceeds(problem, shape) && TilesOf(problem, shape) / 2 >= device.sm_count)
      least_area = std::max(least_area, area / kAreaRange);
  }
  std::vector<Shape> shapes;
  for (const Shape& shape : kShapes) {
    if (!Exceeds(problem, shape) && std::int64_t{shape.tile_m} * shape.tile_n >= least_area)
      shapes.push_back(shape);
  }
  return shapes;
}

// Where tiles alone leave most of the device idle: the two largest powers of two that still give
// every multiprocessor at most two blocks and every slice enough k.
std::vector<int> SplitsFor(const GemmProblem& problem,
                           const DeviceSpec& device,
                           std::int64_t tiles) {
  constexpr int kLeastSliceK = 128;
  constexpr int kMostSlices = 128;
  int most = 1;
  while (most < kMostSlices && tiles <= device.sm_count / most &&
         problem.k / most >= std::int64_t{2} * kLeastSliceK)
    most *= 2;
  std::vector<int> splits;
  for (int split : {most / 2, most}) {
    if (split > 1)
      splits.push_back(split);
  }
  return splits;
}

struct Visitor {
  const Shape& shape;
  const std::function<bool(const KernelConfig&)>& visit;

  [[nodiscard]] bool Visit(int tile_k, int stages, int min_blocks, int split_k) const {
    constexpr int kGroup = 8;
    KernelConfig config;
    config.family = "simt";
    config.knobs = {
        {"tile_m", shape.tile_m},     {"tile_n", shape.tile_n},     {"tile_k", tile_k},
        {"thread_m", shape.thread_m}, {"thread_n", shape.thread_n}, {"stages", stages},
        {"group_m", kGroup},          {"min_blocks", min_blocks},   {"split_k", split_k}};
    return visit(config);
  }
};

// Every depth of the pipeline, and the register cap where it decides between one block and two.
bool VisitUnsplit(const Visitor& visitor, std::span<const int> tile_ks) {
  constexpr int kThreads = 256;
  constexpr int kThreadArea = 64;
  const Shape& s = visitor.shape;
  const int area = s.thread_m * s.thread_n;
  const bool capped = area == kThreadArea && s.tile_m * s.tile_n == kThreads * kThreadArea;
  for (int tile_k : tile_ks) {
    for (int stages : {2, 3, 4}) {
      if (!visitor.Visit(tile_k, stages, 1, 1))
        return false;
      if (capped && !visitor.Visit(tile_k, stages, 2, 1))
        return false;
    }
  }
  return true;
}

// The deeper k block only: slices are short anyway.
bool VisitSplits(const Visitor& visitor, int tile_k, std::span<const int> splits) {
  for (int split : splits) {
    for (int stages : {2, 3}) {
      if (!visitor.Visit(tile_k, stages, 1, split))
        return false;
    }
  }
  return true;
}

}  // namespace

void EnumerateSimt(const GemmProblem& problem,
                   const DeviceSpec& device,
                   const std::function<bool(const KernelConfig&)>& visit) {
  // Packed bytes need four times the k for a row of words.
  constexpr std::array kWords{8, 16};
  constexpr std::array kBytes{16, 32};
  std::span<const int> tile_ks =
      problem.a.type == DType::kS8 ? std::span<const int>(kBytes) : kWords;
  for (const Shape& shape : ShapesFor(problem, device)) {
    Visitor visitor{shape, visit};
    std::vector<int> splits = SplitsFor(problem, device, TilesOf(problem, shape));
    if (!VisitUnsplit(visitor, tile_ks) || !VisitSplits(visitor, tile_ks.back(), splits))
      return;
  }
}

}  // namespace tw
