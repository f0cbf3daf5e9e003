// Which configurations of mma_sync are worth a look for a problem.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "codegen/families/mma_sync.h"

namespace tw {

namespace {

struct Shape {
  int tile_m, tile_n, warp_m, warp_n;
};

// Warps of 64x64 read shared memory least per product; eight of them are the most that the
// register file holds. Narrow tiles serve few rows or columns, small ones give more blocks.
constexpr std::array<Shape, 30> kShapes{{
    {256, 128, 64, 64}, {128, 256, 64, 64}, {128, 128, 64, 64}, {128, 128, 64, 32},
    {128, 128, 32, 64}, {256, 64, 64, 64},  {64, 256, 64, 64},  {128, 64, 64, 32},
    {64, 128, 32, 64},  {64, 64, 32, 32},   {128, 32, 32, 32},  {32, 128, 32, 32},
    {32, 256, 32, 64},  {64, 32, 32, 16},   {32, 64, 16, 32},   {64, 32, 32, 32},
    {32, 64, 32, 32},   {32, 32, 16, 16},   {32, 32, 32, 32},   {16, 256, 16, 64},
    {16, 128, 16, 32},  {16, 64, 16, 16},   {16, 32, 16, 16},   {16, 32, 16, 32},
    {128, 16, 32, 16},  {64, 16, 16, 16},   {64, 16, 32, 16},   {32, 16, 16, 16},
    {32, 16, 32, 16},   {16, 16, 16, 16},
}};

// Tiles of bytes that are not K-major cannot be smaller than the blocks that are transposed.
int SmallestTile(const GemmProblem& problem, bool k_major) {
  mma_sync::Plan plan{};
  plan.element_bytes = BytesOf(problem.a.type);
  return mma_sync::MinWarpExtent(plan, k_major);
}

// A shape this much smaller than the largest that fills the device, by slices of K if need be, is
// not worth a look: it reads that much more.
constexpr int kAreaRange = 4;

// Tiles up to this area serve problems that are bound by memory: longer k blocks, more stages.
constexpr int kSmallArea = 64 * 64;

constexpr std::array kSplits{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
constexpr int kLeastSliceK = 256;

std::int64_t Area(const Shape& shape) {
  return std::int64_t{shape.tile_m} * shape.tile_n;
}

std::int64_t TilesOf(const GemmProblem& problem, const Shape& shape) {
  return CeilDiv(problem.m, shape.tile_m) * CeilDiv(problem.n, shape.tile_n) * problem.batch;
}

// The family refuses such a shape; leaving it out keeps the space small.
bool Exceeds(const GemmProblem& problem, const Shape& shape) {
  const int least_m = SmallestTile(problem, problem.a.major == Major::kRow);
  const int least_n = SmallestTile(problem, problem.b.major == Major::kCol);
  return shape.warp_m < least_m || shape.warp_n < least_n ||
         (shape.tile_m > least_m && shape.tile_m / 2 >= problem.m) ||
         (shape.tile_n > least_n && shape.tile_n / 2 >= problem.n);
}

// Rows of D beyond M (columns beyond N) are computed for nothing: a shape that is narrow in one
// direction is for problems that are narrow there too.
bool TooNarrow(const GemmProblem& problem, const Shape& shape) {
  constexpr int kNarrow = 32;
  constexpr std::int64_t kMostTiles = 4;
  return (shape.tile_m <= kNarrow && problem.m > kMostTiles * shape.tile_m &&
          shape.tile_n > kNarrow) ||
         (shape.tile_n <= kNarrow && problem.n > kMostTiles * shape.tile_n &&
          shape.tile_m > kNarrow);
}

std::vector<Shape> ShapesFor(const GemmProblem& problem, const DeviceSpec& device) {
  const std::int64_t slices = std::clamp<std::int64_t>(problem.k / kLeastSliceK, 1, kSplits.back());
  std::int64_t least_area = 0;
  for (const Shape& shape : kShapes) {
    if (!Exceeds(problem, shape) && TilesOf(problem, shape) * slices >= device.sm_count)
      least_area = std::max(least_area, Area(shape) / kAreaRange);
  }
  std::vector<Shape> shapes;
  for (const Shape& shape : kShapes) {
    if (!Exceeds(problem, shape) && !TooNarrow(problem, shape) && Area(shape) >= least_area)
      shapes.push_back(shape);
  }
  return shapes;
}

// 1, and where tiles alone leave much of the device idle the three largest splits that give a
// multiprocessor at most four blocks and a slice enough k blocks to fill a pipeline.
std::vector<int> SplitsFor(const GemmProblem& problem,
                           const DeviceSpec& device,
                           const Shape& shape,
                           int tile_k) {
  constexpr int kLeastSliceBlocks = 4;
  constexpr std::size_t kMostSplits = 3;
  const std::int64_t tiles = TilesOf(problem, shape);
  const std::int64_t blocks_per_sm = Area(shape) > kSmallArea ? 2 : 4;
  std::vector<int> splits;
  for (int split : kSplits) {
    if (tiles < std::int64_t{2} * device.sm_count &&
        tiles * split <= blocks_per_sm * device.sm_count &&
        problem.k / tile_k >= std::int64_t{split} * kLeastSliceBlocks)
      splits.push_back(split);
  }
  if (splits.size() > kMostSplits)
    splits.erase(splits.begin(), splits.end() - kMostSplits);
  splits.insert(splits.begin(), 1);
  return splits;
}

// A group of 1 where there is one row of tiles; 16 also where a wave of tiles is that large.
std::vector<int> GroupsFor(const GemmProblem& problem,
                           const DeviceSpec& device,
                           const Shape& shape) {
  const std::int64_t tiles_m = CeilDiv(problem.m, shape.tile_m);
  if (tiles_m == 1)
    return {1};
  if (TilesOf(problem, shape) <= device.sm_count || tiles_m <= 4)
    return {4};
  return tiles_m > 8 ? std::vector<int>{4, 8, 16} : std::vector<int>{4, 8};
}

std::vector<int> StagesFor(const Shape& shape, int k_bytes) {
  constexpr int kLongRow = 128;
  if (Area(shape) <= kSmallArea)
    return k_bytes > kLongRow ? std::vector<int>{3, 4, 6} : std::vector<int>{4, 6, 8};
  return k_bytes >= kLongRow ? std::vector<int>{3, 4} : std::vector<int>{3, 4, 5, 6};
}

struct Visitor {
  const GemmProblem& problem;
  const DeviceSpec& device;
  const std::function<bool(const KernelConfig&)>& visit;

  [[nodiscard]] bool VisitShape(const Shape& shape) const {
    const std::vector<int> rows = RowBytes(shape);
    return std::all_of(rows.begin(), rows.end(),
                       [&](int k_bytes) { return VisitRows(shape, k_bytes); });
  }

 private:
  // Bytes of k in a k block. Long ones halve the barriers of small tiles; short ones halve the
  // registers that rows take which cp.async cannot move.
  [[nodiscard]] std::vector<int> RowBytes(const Shape& shape) const {
    const bool staged = RowAlignment(problem.a, problem.batch) < mma_sync::kMinAsyncBytes ||
                        RowAlignment(problem.b, problem.batch) < mma_sync::kMinAsyncBytes;
    return Area(shape) <= kSmallArea && !staged ? std::vector<int>{128, 256}
                                                : std::vector<int>{64, 128};
  }

  [[nodiscard]] bool VisitRows(const Shape& shape, int k_bytes) const {
    const int tile_k = k_bytes / BytesOf(problem.a.type);
    for (int stages : StagesFor(shape, k_bytes)) {
      for (int group : GroupsFor(problem, device, shape)) {
        if (!VisitSplits(shape, tile_k, stages, group))
          return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool VisitSplits(const Shape& shape, int tile_k, int stages, int group) const {
    for (int split : SplitsFor(problem, device, shape, tile_k)) {
      KernelConfig config;
      config.family = "mma_sync";
      config.knobs = {{"tile_m", shape.tile_m}, {"tile_n", shape.tile_n}, {"tile_k", tile_k},
                      {"warp_m", shape.warp_m}, {"warp_n", shape.warp_n}, {"stages", stages},
                      {"group_m", group},       {"split_k", split}};
      if (!visit(config))
        return false;
    }
    return true;
  }
};

}  // namespace

void EnumerateMmaSync(const GemmProblem& problem,
                      const DeviceSpec& device,
                      const std::function<bool(const KernelConfig&)>& visit) {
  const Visitor visitor{problem, device, visit};
  for (const Shape& shape : ShapesFor(problem, device)) {
    if (!visitor.VisitShape(shape))
      return;
  }
}

}  // namespace tw
