// Arguments and shapes of the calibrating kernels (templates/calibrate.cu.in), shared with the
// host. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

// What a block took from its first instruction to its last.
struct BlockTicks {
  int64 clocks;  // of its SM
  int64 ns;      // of the device's timer
};

// Reads all of `data` past the L1, `passes` times. Requires: vectors is a multiple of
// kCalibrateLoads * kCalibrateReadThreads * blocks.
struct CalibrateReadParams {
  const void* data;
  int64 vectors;  // of 16 bytes
  int64 passes;
  BlockTicks* ticks;  // one a block
  uint32* sink;       // never written
};

// `steps` steps of kCalibrateProducts matrix products in every warp.
struct CalibrateMathParams {
  int64 steps;
  BlockTicks* ticks;  // one a block
  uint32* sink;       // never written
};

struct CalibrateNothingParams {
  uint32* sink;  // never written
};

inline constexpr char kCalibrateDram[] = "tw_calibrate_dram";
inline constexpr char kCalibrateL2[] = "tw_calibrate_l2";
inline constexpr char kCalibrateMath[] = "tw_calibrate_math";
inline constexpr char kCalibrateNothing[] = "tw_calibrate_nothing";

inline constexpr int kCalibrateLoads = 8;            // in flight in each thread
inline constexpr int kCalibrateReadThreads = 512;    // of a block
inline constexpr int kCalibrateReadBlocksPerSm = 2;  // sm_75 holds no more
inline constexpr int kCalibrateMathThreads = 512;    // 16 warps an SM, one block
inline constexpr int kCalibrateProducts = 32;
inline constexpr int kCalibrateNothingThreads = 128;

}  // namespace tw
