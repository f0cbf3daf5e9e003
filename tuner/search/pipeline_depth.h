// Stages that a multistage pipeline needs to hide memory latency, by Little's law. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tw {

struct PipelineStage {
  int tile_m = 0, tile_n = 0, tile_k = 0;
  int element_bytes = 0;
};

// Shared memory of one stage: a tile of A and one of B.
std::int64_t StageBytes(const PipelineStage& stage);

// Arithmetic time of one stage on one SM. `fma_per_clock`: multiply-adds per clock and SM.
double StageSeconds(const PipelineStage& stage, double fma_per_clock, double clock_hz);

// Bytes per second that one SM draws while the arithmetic runs at full rate.
double StageBytesPerSecond(const PipelineStage& stage, double fma_per_clock, double clock_hz);

// 1 + ceil(latency / time of a stage): one being computed, the rest in flight.
int StagesNeeded(double latency_s, double stage_s);

// How many stages fit into `smem_bytes`.
int StagesThatFit(std::int64_t smem_bytes, std::int64_t stage_bytes);

}  // namespace tw
