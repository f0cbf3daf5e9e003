// SPDX-License-Identifier: Apache-2.0
#include "tuner/explain/candidate_facts.h"

#include <algorithm>

#include "tuner/search/execution.h"
#include "tuner/search/pipeline_depth.h"
#include "tuner/search/traffic.h"

namespace tw {
namespace {

// A report that another version wrote may lack what the models divide by.
bool HasResources(const Resources& r) {
  return r.threads > 0 && r.tile_m > 0 && r.tile_n > 0 && r.tile_k > 0 && r.split_k > 0 &&
         r.blocks > 0;
}

// Blocks that the device holds at once.
std::int64_t SlotsOf(const DeviceSpec& device, const Occupancy& occupancy) {
  return static_cast<std::int64_t>(std::max(1, occupancy.blocks_per_sm)) * device.sm_count;
}

void AddWaves(const Candidate& candidate, std::int64_t slots, CandidateFacts& facts) {
  const std::int64_t blocks = candidate.resources.blocks;
  if (IsStream(candidate)) {
    facts.waves = static_cast<double>(blocks) / static_cast<double>(slots);
    facts.wave_efficiency = 1;
    return;
  }
  const std::int64_t waves = (blocks + slots - 1) / slots;
  facts.waves = static_cast<double>(waves);
  facts.wave_efficiency = WaveEfficiency(blocks, slots);
}

int StagesNeededBy(const DeviceSpec& device,
                   const Resources& r,
                   const PipelineStage& stage,
                   double fma_per_clock,
                   int blocks_per_sm) {
  const std::int64_t share = (r.blocks + device.sm_count - 1) / device.sm_count;
  const auto resident =
      std::clamp<std::int64_t>(share, 1, std::max<std::int64_t>(1, blocks_per_sm));
  const double stage_s =
      StageSeconds(stage, fma_per_clock / static_cast<double>(resident), device.sm_clock_hz);
  return StagesNeeded(kLoadLatencyClocks / device.sm_clock_hz, stage_s);
}

CandidateFacts FactsOf(const GemmProblem& problem,
                       const DeviceSpec& device,
                       const CandidateReport& report) {
  Candidate candidate;
  candidate.config = report.config;
  candidate.id = report.candidate_id;
  candidate.resources = report.resources;
  CandidateFacts facts;
  facts.registers_compiled = !report.compiled.empty();
  facts.registers = facts.registers_compiled ? RegistersOf(report) : report.resources.regs_estimate;
  candidate.resources.regs_estimate = facts.registers;
  const Resources& r = candidate.resources;
  facts.occupancy = OccupancyOf(device, r);
  const std::int64_t slots = SlotsOf(device, facts.occupancy);
  AddWaves(candidate, slots, facts);
  facts.dram_bytes =
      DramBytes(TrafficShapeOf(problem), TileOrderOf(problem, candidate, slots), device.l2_bytes);
  const int element_bytes = BytesOf(problem.a.type);
  const double rate = UnitsOf(problem, device, report.config.family).fma_per_clock;
  const WarpTile warp = WarpTileOf(candidate);
  facts.fma_per_smem_byte = FmaPerSmemByte(warp.m, warp.n, element_bytes);
  facts.fma_per_smem_byte_needed = FmaPerSmemByteNeeded(rate);
  facts.stages_needed = StagesNeededBy(
      device, r,
      {.tile_m = r.tile_m, .tile_n = r.tile_n, .tile_k = r.tile_k, .element_bytes = element_bytes},
      rate, facts.occupancy.blocks_per_sm);
  facts.bank_conflicts = BankConflictsOf(problem, candidate);
  facts.model = PredictTime(problem, device, candidate);
  return facts;
}

}  // namespace

ExplainedCandidate ExplainCandidate(const GemmProblem& problem,
                                    const DeviceSpec& device,
                                    const CandidateReport& report) {
  ExplainedCandidate explained;
  explained.report = report;
  if (HasResources(report.resources)) {
    explained.facts = FactsOf(problem, device, report);
  }
  const bool measured = report.measurement && report.measurement->median_ns > 0;
  if (measured && report.predicted_ns > 0) {
    explained.predicted_over_measured = report.predicted_ns / report.measurement->median_ns;
  }
  return explained;
}

}  // namespace tw
