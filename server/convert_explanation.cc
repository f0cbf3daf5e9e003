// An explanation: core -> wire.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "server/convert.h"
#include "server/escape.h"

namespace tw {
namespace {

constexpr std::size_t kDetailBytes = 1024;

void ResourcesToProto(const Resources& r, v1::CandidateResources* proto) {
  proto->set_threads(r.threads);
  proto->set_smem_bytes(r.smem_bytes);
  proto->set_registers(r.regs_estimate);
  proto->set_tiles(r.tiles);
  proto->set_blocks(r.blocks);
  proto->set_split_k(r.split_k);
  proto->set_stages(r.stages);
  proto->set_tile_m(r.tile_m);
  proto->set_tile_n(r.tile_n);
  proto->set_tile_k(r.tile_k);
  proto->set_workspace_bytes(r.workspace_bytes);
}

void EntryToProto(const EntryResources& entry, v1::CompiledEntry* proto) {
  proto->set_entry(entry.entry);
  proto->set_registers(entry.registers);
  proto->set_spill_store_bytes(entry.spill_store_bytes);
  proto->set_spill_load_bytes(entry.spill_load_bytes);
  proto->set_stack_bytes(entry.stack_bytes);
  proto->set_static_smem_bytes(entry.static_smem_bytes);
}

void FactsToProto(const CandidateFacts& facts, v1::CandidateFacts* proto) {
  proto->set_registers(facts.registers);
  proto->set_registers_compiled(facts.registers_compiled);
  proto->set_blocks_per_sm(facts.occupancy.blocks_per_sm);
  proto->set_occupancy(facts.occupancy.fraction);
  proto->set_limiter(std::string(Name(facts.occupancy.limiter)));
  proto->set_waves(facts.waves);
  proto->set_wave_efficiency(facts.wave_efficiency);
  proto->set_dram_bytes(facts.dram_bytes);
  proto->set_fma_per_smem_byte(facts.fma_per_smem_byte);
  proto->set_fma_per_smem_byte_needed(facts.fma_per_smem_byte_needed);
  proto->set_stages_needed(facts.stages_needed);
  if (facts.bank_conflicts) {
    proto->set_bank_ways_a(facts.bank_conflicts->ways_a);
    proto->set_bank_ways_b(facts.bank_conflicts->ways_b);
    proto->set_extra_wavefronts(facts.bank_conflicts->extra_wavefronts);
  }
}

void MeasurementToProto(const Measurement& measurement,
                        bool samples,
                        v1::CandidateMeasurement* proto) {
  proto->set_median_ns(measurement.median_ns);
  proto->set_ci_low_ns(measurement.ci_low_ns);
  proto->set_ci_high_ns(measurement.ci_high_ns);
  proto->set_min_ns(measurement.min_ns);
  proto->set_samples(static_cast<int>(measurement.samples_ns.size()));
  proto->set_discarded(measurement.discarded);
  if (samples)
    proto->mutable_samples_ns()->Add(measurement.samples_ns.begin(), measurement.samples_ns.end());
  ToProto(measurement.conditions, proto->mutable_conditions());
}

void CandidateToProto(const ExplainedCandidate& candidate,
                      bool samples,
                      v1::ExplainedCandidate* proto) {
  const CandidateReport& report = candidate.report;
  proto->set_candidate_id(report.candidate_id);
  proto->set_config(Text(report.config));
  proto->set_outcome(std::string(Name(report.kind)));
  proto->set_rule(Escape(report.rule, kDetailBytes));
  proto->set_detail(Escape(report.detail, kDetailBytes));
  ResourcesToProto(report.resources, proto->mutable_resources());
  for (const EntryResources& entry : report.compiled)
    EntryToProto(entry, proto->add_compiled());
  if (candidate.facts)
    FactsToProto(*candidate.facts, proto->mutable_facts());
  proto->set_predicted_ns(report.predicted_ns);
  proto->set_predicted_bound(report.predicted_bound);
  if (report.measurement)
    MeasurementToProto(*report.measurement, samples, proto->mutable_measurement());
  if (candidate.predicted_over_measured)
    proto->set_predicted_over_measured(*candidate.predicted_over_measured);
  proto->set_error_ratio(report.error_ratio);
}

std::string_view FavouredName(ModelFavours favours) {
  switch (favours) {
    case ModelFavours::kWinner:
      return "winner";
    case ModelFavours::kNeither:
      return "neither";
    case ModelFavours::kRunnerUp:
      return "runner_up";
  }
  return "neither";
}

void ComparisonToProto(const Comparison& comparison, v1::WinnerComparison* proto) {
  proto->set_winner_id(comparison.winner_id);
  proto->set_runner_up_id(comparison.runner_up_id);
  proto->set_measured(comparison.measured);
  proto->set_winner_ns(comparison.winner_ns);
  proto->set_runner_up_ns(comparison.runner_up_ns);
  proto->set_tie(comparison.tie);
  proto->set_tie_break(comparison.tie_break_text);
  proto->set_winner_family(comparison.winner_family);
  proto->set_runner_up_family(comparison.runner_up_family);
  for (const KnobDifference& difference : comparison.knobs) {
    v1::KnobDifference* knob = proto->add_knobs();
    knob->set_knob(difference.knob);
    knob->set_winner(difference.winner);
    knob->set_runner_up(difference.runner_up);
  }
  proto->set_model_favours(std::string(FavouredName(comparison.model)));
  proto->set_winner_predicted_ns(comparison.winner_predicted_ns);
  proto->set_runner_up_predicted_ns(comparison.runner_up_predicted_ns);
  proto->set_reason(comparison.reason);
}

}  // namespace

void ToProto(const Explanation& explanation,
             std::string_view candidate_id,
             v1::ExplainResponse* proto) {
  proto->set_sentence(explanation.sentence);
  if (explanation.comparison)
    ComparisonToProto(*explanation.comparison, proto->mutable_comparison());
  proto->mutable_notes()->Add(explanation.notes.begin(), explanation.notes.end());
  proto->set_device_name(explanation.device_name);
  proto->set_reference_device(explanation.reference_device);
  for (const ExplainedCandidate& candidate : explanation.candidates) {
    if (candidate_id.empty() || candidate.report.candidate_id == candidate_id)
      CandidateToProto(candidate, !candidate_id.empty(), proto->add_candidates());
  }
}

}  // namespace tw
