// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/pipeline_depth.h"

#include <cmath>

#include "codegen/core/check.h"

namespace tw {

std::int64_t StageBytes(const PipelineStage& stage) {
  return (static_cast<std::int64_t>(stage.tile_m) + stage.tile_n) * stage.tile_k *
         stage.element_bytes;
}

double StageSeconds(const PipelineStage& stage, double fma_per_clock, double clock_hz) {
  TW_CHECK(fma_per_clock > 0 && clock_hz > 0);
  const double fma = static_cast<double>(stage.tile_m) * stage.tile_n * stage.tile_k;
  return fma / fma_per_clock / clock_hz;
}

double StageBytesPerSecond(const PipelineStage& stage, double fma_per_clock, double clock_hz) {
  return static_cast<double>(StageBytes(stage)) / StageSeconds(stage, fma_per_clock, clock_hz);
}

int StagesNeeded(double latency_s, double stage_s) {
  TW_CHECK(stage_s > 0);
  return 1 + static_cast<int>(std::ceil(latency_s / stage_s));
}

int StagesThatFit(std::int64_t smem_bytes, std::int64_t stage_bytes) {
  TW_CHECK(stage_bytes > 0);
  return static_cast<int>(smem_bytes / stage_bytes);
}

}  // namespace tw
