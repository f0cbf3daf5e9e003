// SPDX-License-Identifier: Apache-2.0
#include "codegen/families/wgmma_tma_grid.h"

#include <algorithm>
#include <string_view>

#include "codegen/core/check.h"
#include "codegen/families/split_k.h"

namespace tw::wgmma_tma {

namespace {

Reduce ReduceOf(const KernelConfig& config) {
  return static_cast<Reduce>(config.Get("reduce"));
}

std::int64_t ClustersOf(const GemmProblem& problem, const KernelConfig& config) {
  const auto across = [&](std::int64_t extent, std::string_view tile, std::string_view cluster) {
    return CeilDiv(extent, std::int64_t{config.Get(tile)} * config.Get(cluster));
  };
  return across(problem.m, "tile_m", "cluster_m") * across(problem.n, "tile_n", "cluster_n") *
         problem.batch * config.Get("split_k");
}

}  // namespace

bool StoresByTma(const GemmProblem& problem) {
  const std::int64_t line = problem.d.major == Major::kRow ? problem.n : problem.m;
  return RowAlignment(problem.d, problem.batch) >= kTmaAlignment &&
         line * BytesOf(problem.d.type) % kTmaAlignment == 0;
}

std::int64_t BlocksOf(const GemmProblem& problem, const KernelConfig& config) {
  return ClustersOf(problem, config) * config.Get("cluster_m") * config.Get("cluster_n");
}

std::int64_t ResidentBlocks(const DeviceSpec& device, const KernelConfig& config) {
  return std::int64_t{device.sm_count} * config.Get("blocks");
}

std::int64_t GridOf(const GemmProblem& problem,
                    const DeviceSpec& device,
                    const KernelConfig& config) {
  const Reduce reduce = ReduceOf(config);
  if (reduce == Reduce::kGrid || reduce == Reduce::kCluster)
    return BlocksOf(problem, config);
  if (reduce == Reduce::kStream)
    return ResidentBlocks(device, config);
  const std::int64_t cluster = std::int64_t{config.Get("cluster_m")} * config.Get("cluster_n");
  const std::int64_t resident = ResidentBlocks(device, config);
  return std::min(BlocksOf(problem, config),
                  std::max(resident / cluster, std::int64_t{1}) * cluster);
}

bool SumsInSecondKernel(const KernelConfig& config) {
  return config.Get("split_k") > 1 && config.Get("reduce") == 0;
}

std::int64_t Counters(const GemmProblem& problem,
                      const DeviceSpec& device,
                      const KernelConfig& config) {
  switch (ReduceOf(config)) {
    case Reduce::kGrid:
      return BlocksOf(problem, config) / config.Get("split_k");
    case Reduce::kStream:
      return GridOf(problem, device, config);
    case Reduce::kKernel:
    case Reduce::kCluster:
      return 0;
  }
  TW_CHECK(false);
}

std::optional<std::int64_t> WorkspaceBytes(const GemmProblem& problem,
                                           const DeviceSpec& device,
                                           const KernelConfig& config) {
  const Plan plan = MakeWgmmaTmaPlan(problem, config);
  if (SumsInSecondKernel(config))
    return SplitKWorkspaceBytes(problem, plan.split_k);
  const std::int64_t counters = Counters(problem, device, config);
  if (counters == 0)
    return 0;
  const std::int64_t blocks = GridOf(problem, device, config);
  if (blocks > kMaxWorkspaceBytes / SliceBytes(plan))
    return std::nullopt;
  return counters * kCounterBytes + blocks * SliceBytes(plan);
}

}  // namespace tw::wgmma_tma
