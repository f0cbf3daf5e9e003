// SPDX-License-Identifier: Apache-2.0
#include "client/cli/explain_json.h"

#include <vector>

#include <nlohmann/json.hpp>

#include "client/cli/baseline_json.h"
#include "client/cli/json.h"
#include "client/cli/result_json.h"

namespace tw::cli {
namespace {

Json ResourcesJson(const v1::CandidateResources& r) {
  return {{"threads", r.threads()},
          {"smem_bytes", r.smem_bytes()},
          {"registers", r.registers()},
          {"tiles", r.tiles()},
          {"blocks", r.blocks()},
          {"split_k", r.split_k()},
          {"stages", r.stages()},
          {"tile_m", r.tile_m()},
          {"tile_n", r.tile_n()},
          {"tile_k", r.tile_k()},
          {"workspace_bytes", r.workspace_bytes()}};
}

Json CompiledJson(const v1::ExplainedCandidate& candidate) {
  Json entries = Json::array();
  for (const v1::CompiledEntry& entry : candidate.compiled()) {
    entries.push_back({{"entry", entry.entry()},
                       {"registers", entry.registers()},
                       {"spill_store_bytes", entry.spill_store_bytes()},
                       {"spill_load_bytes", entry.spill_load_bytes()},
                       {"stack_bytes", entry.stack_bytes()},
                       {"static_smem_bytes", entry.static_smem_bytes()}});
  }
  return entries;
}

Json ConflictsJson(const v1::CandidateFacts& facts) {
  if (!facts.has_bank_ways_a() || !facts.has_bank_ways_b()) {
    return nullptr;
  }
  return {{"ways_a", facts.bank_ways_a()},
          {"ways_b", facts.bank_ways_b()},
          {"extra_wavefronts", facts.extra_wavefronts()}};
}

Json FactsJson(const v1::CandidateFacts& facts) {
  return {{"registers", facts.registers()},
          {"registers_compiled", facts.registers_compiled()},
          {"blocks_per_sm", facts.blocks_per_sm()},
          {"occupancy", facts.occupancy()},
          {"limiter", facts.limiter()},
          {"waves", facts.waves()},
          {"wave_efficiency", facts.wave_efficiency()},
          {"dram_bytes", facts.dram_bytes()},
          {"fma_per_smem_byte", facts.fma_per_smem_byte()},
          {"fma_per_smem_byte_needed", facts.fma_per_smem_byte_needed()},
          {"stages_needed", facts.stages_needed()},
          {"bank_conflicts", ConflictsJson(facts)}};
}

Json MeasurementJson(const v1::CandidateMeasurement& m) {
  Json samples = nullptr;
  if (m.samples_ns_size() > 0) {
    samples = std::vector<double>(m.samples_ns().begin(), m.samples_ns().end());
  }
  return {{"time_ns", m.median_ns()},
          {"ci_ns", {m.ci_low_ns(), m.ci_high_ns()}},
          {"min_ns", m.min_ns()},
          {"samples", m.samples()},
          {"discarded", m.discarded()},
          {"samples_ns", samples},
          {"conditions", ConditionsJson(m.conditions())}};
}

Json CandidateJson(const v1::ExplainedCandidate& candidate) {
  const bool predicted = candidate.predicted_ns() > 0;
  const bool measured = candidate.has_measurement();
  const bool verified = measured || candidate.error_ratio() > 0;
  return {{"candidate_id", candidate.candidate_id()},
          {"config", candidate.config()},
          {"outcome", candidate.outcome()},
          {"rule", OrNull(candidate.rule())},
          {"detail", OrNull(candidate.detail())},
          {"resources", ResourcesJson(candidate.resources())},
          {"compiled", CompiledJson(candidate)},
          {"facts", candidate.has_facts() ? FactsJson(candidate.facts()) : Json(nullptr)},
          {"predicted_ns", predicted ? Json(candidate.predicted_ns()) : Json(nullptr)},
          {"predicted_bound", OrNull(candidate.predicted_bound())},
          {"measured", measured ? MeasurementJson(candidate.measurement()) : Json(nullptr)},
          {"predicted_over_measured", candidate.has_predicted_over_measured()
                                          ? Json(candidate.predicted_over_measured())
                                          : Json(nullptr)},
          {"error_ratio", verified ? Json(candidate.error_ratio()) : Json(nullptr)}};
}

Json ComparisonJson(const v1::ExplainResponse& answer) {
  if (!answer.has_comparison()) {
    return nullptr;
  }
  const v1::WinnerComparison& c = answer.comparison();
  Json knobs = Json::array();
  for (const v1::KnobDifference& knob : c.knobs()) {
    knobs.push_back(
        {{"knob", knob.knob()}, {"winner", knob.winner()}, {"runner_up", knob.runner_up()}});
  }
  return {{"winner_id", c.winner_id()},
          {"runner_up_id", c.runner_up_id()},
          {"measured", c.measured()},
          {"winner_ns", c.winner_ns()},
          {"runner_up_ns", c.runner_up_ns()},
          {"tie", c.tie()},
          {"tie_break", OrNull(c.tie_break())},
          {"winner_family", c.winner_family()},
          {"runner_up_family", c.runner_up_family()},
          {"knobs", knobs},
          {"model_favours", c.model_favours()},
          {"winner_predicted_ns", c.winner_predicted_ns()},
          {"runner_up_predicted_ns", c.runner_up_predicted_ns()},
          {"reason", OrNull(c.reason())}};
}

}  // namespace

std::string ExplainJson(const v1::Key& key, const v1::ExplainResponse& answer) {
  const v1::TuneResult& result = answer.result();
  Json candidates = Json::array();
  for (const v1::ExplainedCandidate& candidate : answer.candidates()) {
    candidates.push_back(CandidateJson(candidate));
  }
  return Dump({{"schema", "tilewright.explain.v1"},
               {"key", KeyJson(key, result.key_text())},
               {"state", Name(result.state())},
               {"candidate_id", OrNull(result.candidate_id())},
               {"config", OrNull(result.config())},
               {"time_ns", result.time_ns()},
               {"sentence", answer.sentence()},
               {"comparison", ComparisonJson(answer)},
               {"notes", std::vector<std::string>(answer.notes().begin(), answer.notes().end())},
               {"device",
                {{"name", OrNull(answer.device_name())}, {"reference", answer.reference_device()}}},
               {"funnel", FunnelJson(result)},
               {"candidates", candidates}});
}

}  // namespace tw::cli
