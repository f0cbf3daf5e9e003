// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/execution.h"

#include <algorithm>

namespace tw {
namespace {

// wgmma_tma::Reduce
constexpr int kReduceCluster = 2;
constexpr int kReduceStream = 3;

constexpr double kCudaCoreEfficiency = 0.85;  // of the fma rate, by the best SIMT kernels
// Warpgroup products run at the rate that the power limit leaves.
constexpr double kWarpgroupEfficiency = 0.76;

// Share of the tensor rate that mma.sync reaches. On sm_90 and later the full rate needs the
// warpgroup or tensor-memory instructions.
double MmaSyncEfficiency(int cc, DType type) {
  if (cc >= 100 && cc < 120) {
    return 0.25;
  }
  // Hopper has no mma.sync for 8-bit floats: they are widened for the units of f16, at half of the
  // rate and less what widening costs (a guess).
  const bool widened = cc == 90 && IsFp8(type);
  if (widened) {
    return 0.25;
  }
  return cc == 90 ? 0.62 : 0.9;
}

double CudaCoreRate(const GemmProblem& problem, const DeviceSpec& device) {
  switch (problem.acc) {
    case DType::kF64:
      return device.fma_f64;
    case DType::kS32:
      return device.fma_s8;
    case DType::kF32:
    case DType::kTf32:
    case DType::kF16:
    case DType::kBf16:
    case DType::kE4m3:
    case DType::kE5m2:
    case DType::kS8:
      break;
  }
  return device.fma_f32;
}

double TensorRate(DType type, const DeviceSpec& device) {
  switch (type) {
    case DType::kF16:
    case DType::kBf16:
      return device.mma_f16;
    case DType::kTf32:
      return device.mma_tf32;
    case DType::kS8:
      return device.mma_s8;
    case DType::kE4m3:
    case DType::kE5m2:
      return device.mma_fp8;
    case DType::kF64:
      return device.mma_f64;
    case DType::kF32:
    case DType::kS32:
      break;
  }
  return 0;
}

}  // namespace

ArithmeticUnits UnitsOf(const GemmProblem& problem,
                        const DeviceSpec& device,
                        const std::string& family) {
  const double tensor = TensorRate(problem.a.type, device);
  if (family == "simt" || family == "gemv" || tensor <= 0) {
    const double rate = CudaCoreRate(problem, device);
    // Devices whose table row lacks the rate: one multiply-add per clock keeps the order sane.
    return {.fma_per_clock = std::max(1.0, rate * kCudaCoreEfficiency), .tensor = false};
  }
  const double efficiency =
      family == "mma_sync" ? MmaSyncEfficiency(device.cc(), problem.a.type) : kWarpgroupEfficiency;
  return {.fma_per_clock = tensor * efficiency, .tensor = true};
}

int KnobOr(const KernelConfig& config, std::string_view name, int fallback) {
  for (const auto& [knob, value] : config.knobs) {
    if (knob == name) {
      return value;
    }
  }
  return fallback;
}

WarpTile WarpTileOf(const Candidate& candidate) {
  const Resources& r = candidate.resources;
  if (const int consumers = KnobOr(candidate.config, "consumers", 0); consumers > 0) {
    const bool turns = KnobOr(candidate.config, "pingpong", 0) != 0;
    const bool swap = KnobOr(candidate.config, "swap", 0) != 0;
    const int share = turns ? 1 : consumers;
    return {.m = swap ? r.tile_m : r.tile_m / share, .n = swap ? r.tile_n / share : r.tile_n};
  }
  const WarpTile guess = SquarestWarpTile(r.tile_m, r.tile_n, std::max(1, r.threads / 32));
  return {.m = KnobOr(candidate.config, "warp_m", guess.m),
          .n = KnobOr(candidate.config, "warp_n", guess.n)};
}

bool IsStream(const Candidate& candidate) {
  return KnobOr(candidate.config, "reduce", 0) == kReduceStream;
}

Occupancy OccupancyOf(const DeviceSpec& device, const Resources& resources) {
  const int register_cap =
      std::min(device.max_regs_per_thread, device.regs_per_block / std::max(1, resources.threads));
  return ComputeOccupancy(device,
                          {.threads = resources.threads,
                           .registers_per_thread = std::min(resources.regs_estimate, register_cap),
                           .smem_bytes = resources.smem_bytes});
}

TileOrder TileOrderOf(const GemmProblem& problem, const Candidate& candidate, std::int64_t slots) {
  const Resources& r = candidate.resources;
  const auto tiles = [](std::int64_t size, int tile) { return (size + tile - 1) / tile; };
  const int group =
      KnobOr(candidate.config, "group_m", KnobOr(candidate.config, "raster_group", 1));
  // Blocks that sum in a cluster are the slices of one tile. All others go through the tiles of one
  // slice before the next one's: what a wave reads of a slice is as of a product with its k.
  const bool slices_together = KnobOr(candidate.config, "reduce", 0) == kReduceCluster;
  return {.tiles_m = tiles(problem.m, r.tile_m),
          .tiles_n = tiles(problem.n, r.tile_n),
          .raster_group = std::max(1, group),
          .slots = std::max<std::int64_t>(1, slices_together ? slots / r.split_k : slots)};
}

TrafficShape TrafficShapeOf(const GemmProblem& problem) {
  const int c_bytes = problem.beta == ScalarKind::kZero ? 0 : BytesOf(problem.c.type);
  return {.m = problem.m,
          .n = problem.n,
          .k = problem.k,
          .batch = problem.batch,
          .a_bytes = BytesOf(problem.a.type),
          .b_bytes = BytesOf(problem.b.type),
          .d_bytes = BytesOf(problem.d.type) + c_bytes};
}

}  // namespace tw
