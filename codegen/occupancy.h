// Occupancy by the hardware's rules, allocation granularity included: registers per warp in units
// of 256, whole warps per scheduler partition, shared memory in units of 128 B plus the driver's
// reserve per resident block. Agrees with the CUDA toolkit's occupancy calculator
// (cuda_occupancy.h 13.0) on every reference device; checked on a device against
// cuOccupancyMaxActiveBlocksPerMultiprocessor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "codegen/core/device_spec.h"

namespace tw {

enum class OccupancyLimiter { kNone, kThreads, kBlocks, kRegisters, kSharedMemory };

std::string_view Name(OccupancyLimiter limiter);

struct Occupancy {
  int blocks_per_sm = 0;
  double fraction = 0;  // resident threads / max_threads_per_sm
  OccupancyLimiter limiter = OccupancyLimiter::kNone;
};

struct BlockNeeds {
  int threads = 0;
  int registers_per_thread = 0;
  std::int64_t smem_bytes = 0;
};

Occupancy ComputeOccupancy(const DeviceSpec& device, const BlockNeeds& block);

// The same without allocation granularity or reserve: the textbook figure.
Occupancy ComputeIdealOccupancy(const DeviceSpec& device, const BlockNeeds& block);

}  // namespace tw
