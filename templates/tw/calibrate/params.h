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

// Every thread loads `loads` times 16 bytes past the L1, the grid from end to end of `data` and
// round again. Requires: `loads` is a multiple of kCalibrateLoads, `vectors` one of
// kCalibrateReadThreads and no less than the grid's threads.
struct CalibrateReadParams {
  const void* data;
  int64 vectors;  // of 16 bytes
  int64 loads;
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
