// SPDX-License-Identifier: Apache-2.0
#include "codegen/occupancy.h"

#include <algorithm>
#include <limits>

#include "codegen/core/check.h"

namespace tw {
namespace {

constexpr int kWarpSize = 32;
constexpr std::int64_t kUnlimited = std::numeric_limits<int>::max();

// How the hardware hands out an SM's resources.
struct Granularity {
  std::int64_t registers_per_warp;  // unit of a warp's register allocation
  std::int64_t partitions;          // schedulers that own a share of the registers each
  std::int64_t smem_bytes;          // unit of a block's shared memory
  std::int64_t smem_reserved;       // taken by the driver per resident block
};

std::int64_t RoundUp(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// A warp's registers lie in one partition, so each partition holds whole warps; a block's warps
// may be dealt out unevenly. The launch check alone assumes an even deal.
std::int64_t BlocksByRegisters(const DeviceSpec& device,
                               const BlockNeeds& block,
                               const Granularity& unit) {
  if (block.registers_per_thread == 0)
    return kUnlimited;
  const std::int64_t warps = (block.threads + kWarpSize - 1) / kWarpSize;
  const std::int64_t registers_per_warp =
      RoundUp(std::int64_t{block.registers_per_thread} * kWarpSize, unit.registers_per_warp);
  if (block.registers_per_thread > device.max_regs_per_thread ||
      RoundUp(warps, unit.partitions) * registers_per_warp > device.regs_per_block)
    return 0;
  const std::int64_t warps_per_partition =
      device.regs_per_sm / unit.partitions / registers_per_warp;
  return warps_per_partition * unit.partitions / warps;
}

std::int64_t BlocksBySmem(const DeviceSpec& device,
                          const BlockNeeds& block,
                          const Granularity& unit) {
  if (block.smem_bytes > device.smem_per_block_optin)
    return 0;
  const std::int64_t per_block = RoundUp(block.smem_bytes + unit.smem_reserved, unit.smem_bytes);
  return per_block == 0 ? kUnlimited : device.smem_per_sm / per_block;
}

Occupancy Compute(const DeviceSpec& device, const BlockNeeds& block, const Granularity& unit) {
  TW_CHECK(block.threads > 0 && block.registers_per_thread >= 0 && block.smem_bytes >= 0);
  // Whole warps are resident, the last one however few threads it has.
  const std::int64_t threads = RoundUp(block.threads, kWarpSize);
  std::int64_t blocks =
      block.threads > device.max_threads_per_block ? 0 : device.max_threads_per_sm / threads;
  OccupancyLimiter limiter = OccupancyLimiter::kThreads;
  const auto lower = [&](std::int64_t limit, OccupancyLimiter by) {
    if (limit < blocks) {
      blocks = limit;
      limiter = by;
    }
  };
  lower(device.max_blocks_per_sm, OccupancyLimiter::kBlocks);
  lower(BlocksByRegisters(device, block, unit), OccupancyLimiter::kRegisters);
  lower(BlocksBySmem(device, block, unit), OccupancyLimiter::kSharedMemory);
  return {.blocks_per_sm = static_cast<int>(blocks),
          .fraction = static_cast<double>(blocks * threads) /
                      static_cast<double>(device.max_threads_per_sm),
          .limiter = limiter};
}

}  // namespace

std::string_view Name(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::kNone:
      return "none";
    case OccupancyLimiter::kThreads:
      return "threads";
    case OccupancyLimiter::kBlocks:
      return "blocks";
    case OccupancyLimiter::kRegisters:
      return "registers";
    case OccupancyLimiter::kSharedMemory:
      return "shared memory";
  }
  TW_CHECK(false);
  return {};
}

Occupancy ComputeOccupancy(const DeviceSpec& device, const BlockNeeds& block) {
  return Compute(device, block,
                 {.registers_per_warp = 256,
                  .partitions = 4,
                  .smem_bytes = 128,
                  .smem_reserved = device.smem_reserved_per_block});
}

Occupancy ComputeIdealOccupancy(const DeviceSpec& device, const BlockNeeds& block) {
  return Compute(device, block,
                 {.registers_per_warp = 1, .partitions = 1, .smem_bytes = 1, .smem_reserved = 0});
}

}  // namespace tw
