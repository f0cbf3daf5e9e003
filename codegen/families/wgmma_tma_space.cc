// Which configurations of wgmma_tma are worth a look for a problem.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "codegen/families/wgmma_tma.h"
#include "codegen/families/wgmma_tma_grid.h"

namespace tw {

namespace {

// A block's tile in the kernel's sense, and who computes it.
struct Shape {
  int rows, cols, consumers;
  bool pingpong;
  int blocks = 1;  // per multiprocessor

  friend bool operator==(const Shape&, const Shape&) = default;
};

// Two consumers in turns, 128 rows each: any width, so that tiles come out even over the device. At
// one width or another these serve every problem of more than a wave.
constexpr std::array kTurnCols{64, 80, 96, 112, 128, 144, 160, 168, 176, 192, 200, 208};

// Other ways to cut large problems: cooperative, and taller turns.
constexpr std::array<Shape, 22> kLarge{{
    {128, 256, 2, false}, {256, 128, 2, false}, {128, 192, 2, false}, {128, 208, 2, false},
    {128, 224, 2, false}, {128, 160, 2, false}, {256, 96, 2, false},  {256, 112, 2, false},
    {256, 144, 2, false}, {256, 160, 2, false}, {192, 128, 3, false}, {192, 160, 3, false},
    {192, 192, 3, false}, {192, 96, 3, false},  {64, 256, 2, true},   {64, 192, 2, true},
    {64, 128, 2, true},   {192, 128, 2, true},  {192, 96, 2, true},   {192, 112, 2, true},
    {128, 232, 2, false}, {128, 240, 2, false},
}};

// For problems of about a wave or less: short tiles, several blocks on a multiprocessor.
constexpr std::array<Shape, 16> kSmall{{
    {64, 256, 1, false},
    {64, 192, 1, false},
    {64, 128, 1, false},
    {64, 128, 1, false, 2},
    {64, 96, 1, false, 2},
    {64, 64, 1, false, 2},
    {64, 64, 1, false},
    {64, 32, 1, false, 3},
    {64, 32, 1, false, 2},
    {64, 160, 1, false},
    {128, 128, 2, false},
    {128, 96, 2, false},
    {128, 64, 2, false},
    {128, 64, 2, false, 2},
    {128, 32, 2, false, 2},
    {128, 256, 2, false},
}};

// For sums that are promoted: each consumer has one strip and room for temporary sums.
constexpr std::array kPromotedCols{64, 80, 96, 104, 112, 120, 128, 144, 160, 176, 192};
constexpr std::array<Shape, 4> kPromotedByThree{{
    {192, 128, 3, false},
    {192, 112, 3, false},
    {192, 96, 3, false},
    {192, 80, 3, false},
}};

constexpr std::array kSplits{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
constexpr std::int64_t kSkinny = 256;  // up to here a dimension is covered by one tile

struct Cluster {
  int m, n;
};

// How sums of 8-bit floats are promoted: temporaries, and k blocks in straight-line code.
struct Promotion {
  int temporaries, unroll;
};

struct Split {
  int count;
  wgmma_tma::Reduce reduce;
  Promotion promotion{};
};

struct Visitor {
  const GemmProblem& problem;
  const DeviceSpec& device;
  const std::function<bool(const KernelConfig&)>& visit;

  [[nodiscard]] bool Run() const {
    for (const bool swap : {false, true}) {
      for (const Shape& shape : ShapesFor(swap)) {
        if (!VisitShape(shape, swap))
          return false;
      }
    }
    return true;
  }

 private:
  [[nodiscard]] std::int64_t Rows(bool swap) const { return swap ? problem.n : problem.m; }

  [[nodiscard]] std::int64_t Cols(bool swap) const { return swap ? problem.m : problem.n; }

  // As the plan has it.
  [[nodiscard]] int ColStep(bool swap, int cols) const {
    wgmma_tma::Plan plan{};
    plan.tile_cols = cols;
    plan.integers = Info(problem.a.type).integer;
    plan.out_bytes = BytesOf(problem.d.type);
    plan.col_k_major = swap ? problem.a.major == Major::kRow : problem.b.major == Major::kCol;
    return wgmma_tma::ColumnStep(plan);
  }

  [[nodiscard]] std::int64_t BlockK() const {
    return wgmma_tma::kLineBytes / BytesOf(problem.a.type);
  }

  [[nodiscard]] bool IsPromoted() const {
    return IsFp8(problem.a.type) && !problem.fp8_fast_accumulate && problem.k > BlockK();
  }

  [[nodiscard]] std::int64_t Tiles(const Shape& shape, bool swap) const {
    return CeilDiv(Rows(swap), shape.rows) * CeilDiv(Cols(swap), shape.cols) * problem.batch;
  }

  [[nodiscard]] bool Fits(const Shape& shape, bool swap) const {
    const int step = ColStep(swap, shape.cols);
    return shape.cols % step == 0 && (shape.rows == 64 || shape.rows - 64 < Rows(swap)) &&
           (shape.cols == step || shape.cols - step < Cols(swap));
  }

  [[nodiscard]] std::vector<Shape> ShapesFor(bool swap) const {
    std::vector<Shape> shapes;
    // Rows go 64 at a time: a problem that is narrow there is better turned over, if D can be.
    const bool only_so = BytesOf(problem.d.type) == 1 && (problem.d.major == Major::kRow) != swap;
    if (!only_so && Rows(swap) <= kSkinny && Cols(swap) > Rows(swap) && Rows(swap) % 64 != 0)
      return shapes;
    const Shape whole{128, 128, 2, true};
    if (Tiles(whole, swap) > device.sm_count / 2)
      AddLarge(swap, shapes);
    if (Tiles(whole, swap) < std::int64_t{3} * device.sm_count) {
      for (const Shape& shape : kSmall)
        Add(shape, swap, shapes);
    }
    if (Cols(swap) <= kSkinny)
      AddNarrow(swap, shapes);
    return shapes;
  }

  void AddLarge(bool swap, std::vector<Shape>& shapes) const {
    if (IsPromoted()) {
      for (const int cols : kPromotedCols)
        Add({128, cols, 2, false}, swap, shapes);
      for (const Shape& shape : kPromotedByThree)
        Add(shape, swap, shapes);
      return;
    }
    for (const int cols : kTurnCols)
      Add({128, cols, 2, true}, swap, shapes);
    for (const Shape& shape : kLarge)
      Add(shape, swap, shapes);
  }

  // Once.
  void Add(const Shape& shape, bool swap, std::vector<Shape>& shapes) const {
    if (Fits(shape, swap) && std::find(shapes.begin(), shapes.end(), shape) == shapes.end())
      shapes.push_back(shape);
  }

  // One tile covers the narrow dimension to the step.
  void AddNarrow(bool swap, std::vector<Shape>& shapes) const {
    const int step = ColStep(swap, static_cast<int>(Cols(swap)));
    const int cols = static_cast<int>(CeilDiv(Cols(swap), step)) * step;
    for (const int rows : {64, 128, 256}) {
      for (const int blocks : {1, 2, 3}) {
        const Shape shape{rows, cols, rows / 64 > 2 ? 2 : rows / 64, false, blocks};
        Add(shape, swap, shapes);
      }
    }
  }

  [[nodiscard]] bool VisitShape(const Shape& shape, bool swap) const {
    for (const Cluster& cluster : ClustersFor(shape, swap)) {
      for (const int group : GroupsFor(shape, swap, cluster)) {
        if (!VisitSplits(shape, swap, cluster, group))
          return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool VisitSplits(const Shape& shape,
                                 bool swap,
                                 const Cluster& cluster,
                                 int group) const {
    for (Split split : SplitsFor(shape, swap, cluster)) {
      for (const Promotion& promotion : PromotionsFor(shape)) {
        split.promotion = promotion;
        if (!Visit(shape, swap, cluster, group, split))
          return false;
      }
    }
    return true;
  }

  // Two temporaries where they fit beside the sums of two consumers; three consumers hide one.
  [[nodiscard]] std::vector<Promotion> PromotionsFor(const Shape& shape) const {
    constexpr int kMostColsOfTwo = 128;
    constexpr std::int64_t kLong = 16;  // k blocks
    if (!IsPromoted())
      return {{0, 1}};
    if (shape.consumers > 2 || shape.cols > kMostColsOfTwo)
      return {{1, 4}};
    if (problem.k < kLong * BlockK())
      return {{2, 2}};
    return {{2, 8}, {2, 2}};
  }

  // Blocks share what they load, along either dimension or both: of use where there is more than a
  // wave, and everywhere for rows that start within lines of the L2, which cost twice their bytes.
  [[nodiscard]] std::vector<Cluster> ClustersFor(const Shape& shape, bool swap) const {
    std::vector<Cluster> clusters = {{1, 1}};
    const bool straddle = Straddles(problem.a) || Straddles(problem.b);
    if (shape.blocks > 1 || (!straddle && Tiles(shape, swap) <= device.sm_count))
      return clusters;
    clusters.insert(clusters.end(), {{2, 1}, {1, 2}});
    if (straddle)
      clusters.insert(clusters.end(), {{2, 2}, {4, 1}, {1, 4}});
    return clusters;
  }

  static bool Straddles(const Operand& operand) {
    constexpr std::int64_t kL2LineBytes = 128;
    return operand.ld * BytesOf(operand.type) % kL2LineBytes != 0;
  }

  [[nodiscard]] std::vector<int> GroupsFor(const Shape& shape,
                                           bool swap,
                                           const Cluster& cluster) const {
    const std::int64_t tiles_m = CeilDiv(problem.m, swap ? shape.cols : shape.rows);
    if (tiles_m == 1)
      return {1};
    if (tiles_m <= 4 || Tiles(shape, swap) <= device.sm_count)
      return {4};
    // With shared loads the order matters less; one of them will do.
    return cluster.m * cluster.n > 1 || tiles_m <= 8 ? std::vector<int>{8}
                                                     : std::vector<int>{8, 16};
  }

  // None, and where tiles alone leave much of the device idle the largest few that still leave a
  // slice enough k blocks to fill the ring: summed in the grid, and in the cluster or by a second
  // kernel.
  [[nodiscard]] std::vector<Split> SplitsFor(const Shape& shape,
                                             bool swap,
                                             const Cluster& cluster) const {
    constexpr int kLeastSliceBlocks = 4;
    constexpr std::size_t kMostSplits = 3;
    std::vector<int> counts;
    const std::int64_t tiles = Tiles(shape, swap);
    const std::int64_t slots = std::int64_t{device.sm_count} * shape.blocks;
    for (const int split : kSplits) {
      if (cluster.m * cluster.n == 1 && !shape.pingpong && 2 * tiles <= slots &&
          tiles * split <= slots && problem.k >= BlockK() * kLeastSliceBlocks * split)
        counts.push_back(split);
    }
    if (counts.size() > kMostSplits)
      counts.erase(counts.begin(), counts.end() - kMostSplits);
    std::vector<Split> splits = {{1, wgmma_tma::Reduce::kKernel}};
    // Runs of k blocks where the last wave leaves much of the device idle.
    constexpr std::int64_t kWellFilled = 9;  // tenths
    const std::int64_t waves = CeilDiv(tiles, slots);
    if (cluster.m * cluster.n == 1 && !shape.pingpong && 10 * tiles < kWellFilled * waves * slots)
      splits.push_back({1, wgmma_tma::Reduce::kStream});
    for (const int count : counts) {
      const bool clusters = count == 2 || count == 4 || count == 8;
      splits.push_back({count, wgmma_tma::Reduce::kGrid});
      splits.push_back(
          {count, clusters ? wgmma_tma::Reduce::kCluster : wgmma_tma::Reduce::kKernel});
    }
    return splits;
  }

  [[nodiscard]] bool Visit(
      const Shape& shape, bool swap, const Cluster& cluster, int group, const Split& split) const {
    const bool tma_store = split.count == 1 && wgmma_tma::StoresByTma(problem);
    KernelConfig config;
    config.family = "wgmma_tma";
    config.knobs = {{"tile_m", swap ? shape.cols : shape.rows},
                    {"tile_n", swap ? shape.rows : shape.cols},
                    {"swap", swap ? 1 : 0},
                    {"consumers", shape.consumers},
                    {"pingpong", shape.pingpong ? 1 : 0},
                    {"stages", StagesFor(shape)},
                    {"cluster_m", cluster.m},
                    {"cluster_n", cluster.n},
                    {"group_m", group},
                    {"split_k", split.count},
                    {"reduce", static_cast<int>(split.reduce)},
                    {"deferred", 1},
                    {"tma_store", tma_store ? 1 : 0},
                    {"blocks", shape.blocks},
                    {"temporaries", split.promotion.temporaries},
                    {"unroll", split.promotion.unroll}};
    return visit(config);
  }

  // As many as fit: what is in flight hides the memory's latency.
  [[nodiscard]] int StagesFor(const Shape& shape) const {
    constexpr int kMost = 12;
    const std::int64_t of_block =
        std::min(device.smem_per_block_optin,
                 device.smem_per_sm / shape.blocks - device.smem_reserved_per_block);
    wgmma_tma::Plan plan{};
    plan.tile_rows = shape.rows;
    plan.tile_cols = shape.cols;
    plan.consumers = shape.consumers;
    plan.stages = 2;
    while (plan.stages < kMost) {
      ++plan.stages;
      if (wgmma_tma::SmemBytes(plan) > of_block) {
        --plan.stages;
        break;
      }
    }
    return plan.stages;
  }
};

}  // namespace

void EnumerateWgmmaTma(const GemmProblem& problem,
                       const DeviceSpec& device,
                       const std::function<bool(const KernelConfig&)>& visit) {
  static_cast<void>(Visitor{problem, device, visit}.Run());
}

}  // namespace tw
