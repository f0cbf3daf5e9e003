// Which configurations of wgmma_tma are legal.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <tuple>

#include "codegen/core/check.h"
#include "codegen/families/common.h"
#include "codegen/families/split_k.h"
#include "codegen/families/wgmma_tma_grid.h"
#include "codegen/occupancy.h"

namespace tw::wgmma_tma {

namespace {

// Rules of the plan header, which the kernel asserts too.
std::optional<Rejection> CheckShape(const Plan& plan) {
  switch (Check(plan)) {
    case Rule::kNone:
      return std::nullopt;
    case Rule::kRows:
      return Rejection{"tile", "rows are not 64 for each consumer"};
    case Rule::kCols:
      return Rejection{"tile",
                       "columns are not a step of wgmma: 8, 16 of integers and for 8-bit D, 64 "
                       "where contiguous"};
    case Rule::kConsumers:
      return Rejection{"consumers", "turns are taken by two"};
    case Rule::kStages:
      return Rejection{"stages", "fewer than 2"};
    case Rule::kCluster:
      return Rejection{"cluster",
                       "more than 8 blocks, or a tile cannot be shared out in swizzle patterns"};
    case Rule::kBox:
      return Rejection{"box", Exceeds(std::max(plan.tile_rows, plan.tile_cols), kMostBox)};
    case Rule::kRegisters:
      return Rejection{"registers", Exceeds(RegistersNeeded(plan), ConsumerRegisters(plan))};
    case Rule::kBlocks:
      return Rejection{"blocks", "too few registers for each"};
    case Rule::kReduce:
      return Rejection{"reduce", "slices have no room, or nobody to sum them"};
    case Rule::kMajor:
      return Rejection{"major", "operands of other than 16 bits are not contiguous along k"};
    case Rule::kTemporaries:
      return Rejection{"temporaries", "are of 8-bit floats, with one strip for each consumer"};
    case Rule::kOutput:
      return Rejection{"output",
                       "8-bit elements leave row by row: swap the operands or sum slices"};
  }
  TW_CHECK(false);
}

// Hard limits of the device.
std::optional<Rejection> CheckDevice(const Plan& plan, const DeviceSpec& device) {
  // A block's shared memory beyond the opt-in limit cannot be launched.
  if (SmemBytes(plan) > device.smem_per_block_optin)
    return Rejection{"smem", Exceeds(SmemBytes(plan), device.smem_per_block_optin)};
  const Occupancy occupancy =
      ComputeOccupancy(device, {.threads = Threads(plan),
                                .registers_per_thread = LaunchRegisters(plan),
                                .smem_bytes = SmemBytes(plan)});
  // The plan deals out registers for that many.
  if (occupancy.blocks_per_sm < plan.blocks_per_sm)
    return Rejection{"blocks", Exceeds(plan.blocks_per_sm, occupancy.blocks_per_sm)};
  return std::nullopt;
}

// A tile that a smaller step would cover as well.
bool Wasteful(std::int64_t extent, int tile, int step) {
  return tile > step && tile - step >= extent;
}

// Runs of k blocks are for tiles that do not come out even over the device, and long enough to be
// worth the exchange.
std::optional<Rejection> CheckStream(const Plan& plan,
                                     const GemmProblem& problem,
                                     const DeviceSpec& device,
                                     const KernelConfig& config) {
  constexpr std::int64_t kLeastRun = 4;
  const std::int64_t blocks = ResidentBlocks(device, config);
  const std::int64_t tiles = BlocksOf(problem, config);
  if (tiles % blocks == 0)
    return Rejection{"stream", "tiles come out even"};
  const std::int64_t run = tiles % blocks * CeilDiv(problem.k, BlockK(plan)) / blocks;
  if (tiles < blocks && run < kLeastRun)
    return Rejection{"stream", Exceeds(kLeastRun, run)};
  return std::nullopt;
}

// Slices are whole k blocks, and an empty slice only adds traffic.
std::optional<Rejection> CheckSlices(const Plan& plan,
                                     const GemmProblem& problem,
                                     const DeviceSpec& device,
                                     const KernelConfig& config) {
  const std::int64_t k_blocks = CeilDiv(problem.k, BlockK(plan));
  if (plan.split_k > k_blocks)
    return Rejection{"split_k", Exceeds(plan.split_k, k_blocks)};
  // Blocks that wait for each other must all be there.
  if (plan.reduce == Reduce::kGrid && BlocksOf(problem, config) > ResidentBlocks(device, config)) {
    return Rejection{"resident",
                     Exceeds(BlocksOf(problem, config), ResidentBlocks(device, config))};
  }
  // Partial sums must fit in the workspace.
  if (!WorkspaceBytes(problem, device, config))
    return Rejection{"split_k", "workspace exceeds " + std::to_string(kMaxWorkspaceBytes)};
  return std::nullopt;
}

// Tiles and clusters beyond D compute nothing.
std::optional<Rejection> CheckExtents(const Plan& plan,
                                      const GemmProblem& problem,
                                      const KernelConfig& config) {
  const std::int64_t rows = plan.swap ? problem.n : problem.m;
  const std::int64_t cols = plan.swap ? problem.m : problem.n;
  if (Wasteful(rows, plan.tile_rows, kStripRows))
    return Rejection{"tile_exceeds_problem", Exceeds(plan.tile_rows, rows)};
  if (Wasteful(cols, plan.tile_cols, ColumnStep(plan)))
    return Rejection{"tile_exceeds_problem", Exceeds(plan.tile_cols, cols)};
  for (const auto& [extent, tile, cluster] :
       {std::tuple{problem.m, config.Get("tile_m"), config.Get("cluster_m")},
        std::tuple{problem.n, config.Get("tile_n"), config.Get("cluster_n")}}) {
    if (cluster > 1 && cluster > CeilDiv(extent, tile))
      return Rejection{"cluster", Exceeds(cluster, CeilDiv(extent, tile))};
  }
  // Items are counted in 32 bits.
  if (BlocksOf(problem, config) > kMostCount)
    return Rejection{"grid", Exceeds(BlocksOf(problem, config), kMostCount)};
  return std::nullopt;
}

// Limits that follow from the problem.
std::optional<Rejection> CheckProblem(const Plan& plan,
                                      const GemmProblem& problem,
                                      const DeviceSpec& device,
                                      const KernelConfig& config) {
  if (std::optional<Rejection> rejection = CheckExtents(plan, problem, config))
    return rejection;
  // One k block has nothing to be added to.
  const bool several = problem.k > std::int64_t{BlockK(plan)} * plan.split_k;
  const bool precise = IsFp8(problem.a.type) && !problem.fp8_fast_accumulate && several;
  if (precise != (plan.temporaries > 0))
    return Rejection{"temporaries", precise ? "precise sums need them" : "of no use"};
  if (plan.tma_store && !StoresByTma(problem))
    return Rejection{"tma_store", "rows of D are not whole units of 16 bytes"};
  if (plan.reduce == Reduce::kStream)
    return CheckStream(plan, problem, device, config);
  return plan.split_k > 1 ? CheckSlices(plan, problem, device, config) : std::nullopt;
}

}  // namespace

std::optional<Rejection> Reject(const GemmProblem& problem,
                                const DeviceSpec& device,
                                const KernelConfig& config) {
  const Plan plan = MakeWgmmaTmaPlan(problem, config);
  if (std::optional<Rejection> rejection = CheckShape(plan))
    return rejection;
  if (std::optional<Rejection> rejection = CheckDevice(plan, device))
    return rejection;
  return CheckProblem(plan, problem, device, config);
}

}  // namespace tw::wgmma_tma
