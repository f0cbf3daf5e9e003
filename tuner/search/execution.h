// How a candidate runs on a device: arithmetic units, residency, order of its tiles, what reads
// shared memory as one. The cost model and the explanations see a candidate through these. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"
#include "codegen/occupancy.h"
#include "tuner/search/smem_feed.h"
#include "tuner/search/traffic.h"

namespace tw {

// SM clocks of a load from global to shared memory, by the L2 or from DRAM.
inline constexpr double kLoadLatencyClocks = 900;

struct ArithmeticUnits {
  double fma_per_clock = 0;  // per SM, the share that the family's kernels reach
  bool tensor = false;       // tensor cores, not CUDA cores
};

ArithmeticUnits UnitsOf(const GemmProblem& problem,
                        const DeviceSpec& device,
                        const std::string& family);

// For knobs that not every family has.
int KnobOr(const KernelConfig& config, std::string_view name, int fallback);

// What reads shared memory as one: a warp's tile, a consumer's strips of 64 rows.
WarpTile WarpTileOf(const Candidate& candidate);

// Whether blocks share the last waves' k blocks evenly (stream-K), so that no wave is cut short.
bool IsStream(const Candidate& candidate);

// By regs_estimate, held to what one block can have: launch bounds do that to the compiler.
Occupancy OccupancyOf(const DeviceSpec& device, const Resources& resources);

// `slots`: thread blocks that the device holds at once.
TileOrder TileOrderOf(const GemmProblem& problem, const Candidate& candidate, std::int64_t slots);

// C counts with D where it is read.
TrafficShape TrafficShapeOf(const GemmProblem& problem);

}  // namespace tw
