// Argument of the work kernel (templates/work.cu.in), by which the stopwatch checks itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

// Every thread makes `steps` steps of kWorkFmas multiply-adds and loads 16 bytes in one of
// kWorkStepsPerLoad steps. Writes nothing while the data are finite.
struct WorkParams {
  float* data;
  int64 vectors;  // of 16 bytes in data
  int64 steps;
};

inline constexpr char kWork[] = "tw_verify_work";
inline constexpr int kWorkThreads = 256;
inline constexpr int kWorkBlocksPerSm = 8;  // all resident at once: one wave
inline constexpr int kWorkFmas = 4;
inline constexpr int kWorkStepsPerLoad = 64;

}  // namespace tw
