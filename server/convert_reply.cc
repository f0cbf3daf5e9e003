// Replies: core -> wire.
// SPDX-License-Identifier: Apache-2.0
#include "server/convert.h"
#include "server/public_status.h"

namespace tw {
namespace {

v1::ResultState StateToProto(RowState state) {
  switch (state) {
    case RowState::kPredicted:
      return v1::RESULT_STATE_PREDICTED;
    case RowState::kStale:
      return v1::RESULT_STATE_STALE;
    case RowState::kUnverified:
      return v1::RESULT_STATE_UNVERIFIED;
    case RowState::kMeasured:
      return v1::RESULT_STATE_MEASURED;
  }
  return v1::RESULT_STATE_UNSPECIFIED;
}

v1::OperationState StateToProto(JobState state) {
  switch (state) {
    case JobState::kQueued:
      return v1::OPERATION_STATE_QUEUED;
    case JobState::kRunning:
      return v1::OPERATION_STATE_RUNNING;
    case JobState::kSucceeded:
      return v1::OPERATION_STATE_SUCCEEDED;
    case JobState::kFailed:
      return v1::OPERATION_STATE_FAILED;
    case JobState::kCancelled:
      return v1::OPERATION_STATE_CANCELLED;
  }
  return v1::OPERATION_STATE_UNSPECIFIED;
}

v1::MapOperand OperandToProto(MapOperand operand) {
  switch (operand) {
    case MapOperand::kA:
      return v1::MAP_OPERAND_A;
    case MapOperand::kB:
      return v1::MAP_OPERAND_B;
    case MapOperand::kD:
      return v1::MAP_OPERAND_D;
  }
  return v1::MAP_OPERAND_UNSPECIFIED;
}

void MapToProto(const TensorMapRecipe& map, v1::TensorMap* proto) {
  proto->set_operand(OperandToProto(map.operand));
  proto->set_type(DataTypeToProto(map.type));
  proto->mutable_dims()->Add(map.dims.begin(), map.dims.begin() + map.rank);
  proto->mutable_strides()->Add(map.strides.begin(), map.strides.begin() + map.rank - 1);
  proto->mutable_box()->Add(map.box.begin(), map.box.begin() + map.rank);
  proto->set_swizzle_bytes(map.swizzle_bytes);
  proto->set_l2_promotion_bytes(map.l2_promotion_bytes);
}

void LaunchToProto(const KernelLaunch& launch, v1::KernelLaunch* proto) {
  proto->set_entry(launch.entry);
  proto->mutable_grid()->Add(launch.grid.begin(), launch.grid.end());
  proto->mutable_block()->Add(launch.block.begin(), launch.block.end());
  proto->set_dynamic_smem_bytes(launch.dynamic_smem_bytes);
  proto->mutable_cluster()->Add(launch.cluster.begin(), launch.cluster.end());
  proto->set_cooperative(launch.cooperative);
  proto->set_programmatic(launch.programmatic);
  for (const TensorMapRecipe& map : launch.tensor_maps)
    MapToProto(map, proto->add_tensor_maps());
}

void WinnerToProto(const Winner& winner, v1::TuneResult* proto) {
  proto->set_candidate_id(winner.candidate_id);
  proto->set_config(Text(winner.config));
  proto->set_source_digest(winner.source_digest);
  for (const KernelLaunch& launch : winner.launch.launches)
    LaunchToProto(launch, proto->add_launches());
  proto->set_workspace_bytes(winner.launch.workspace_bytes);
  proto->set_workspace_zero_bytes(winner.launch.workspace_zero_bytes);
  proto->set_time_ns(winner.time_ns);
  proto->set_ci_low_ns(winner.ci_low_ns);
  proto->set_ci_high_ns(winner.ci_high_ns);
  proto->set_error_ratio(winner.error_ratio);
}

void PhasesToProto(const PhaseTimes& phases, v1::PhaseTimes* proto) {
  proto->set_enumerate_s(phases.enumerate_s);
  proto->set_compile_cpu_s(phases.compile_cpu_s);
  proto->set_compile_wall_s(phases.compile_wall_s);
  proto->set_verify_s(phases.verify_s);
  proto->set_measure_s(phases.measure_s);
  proto->set_total_s(phases.total_s);
  proto->set_compiled(phases.compiled);
}

void ProgressToProto(const TuneProgress& progress, v1::TuneProgress* proto) {
  proto->set_phase(std::string(Name(progress.phase)));
  proto->set_total(progress.total);
  proto->set_compiled(progress.compiled);
  proto->set_measured(progress.measured);
  proto->set_failed(progress.failed);
  proto->set_best_ns(progress.best_ns);
  proto->set_best_id(progress.best_id);
}

double Tflops(const TuneResult& result) {
  const auto problem = ParseCanonicalText(result.key.problem);
  if (!problem.ok() || result.winner.time_ns <= 0)
    return 0;
  constexpr double kFlopsPerNsInTera = 1e-3;
  return Flops(*problem) / result.winner.time_ns * kFlopsPerNsInTera;
}

}  // namespace

void ToProto(const Conditions& conditions, v1::Conditions* proto) {
  proto->set_sm_clock_mhz(conditions.sm_clock_mhz);
  proto->set_temperature_c(conditions.temperature_c);
  proto->set_power_w(conditions.power_w);
  proto->set_power_limit_w(conditions.power_limit_w);
  proto->set_throttle_reasons(conditions.throttle_reasons);
}

void ToProto(const TuneResult& result, v1::TuneResult* proto) {
  proto->set_state(StateToProto(result.state));
  WinnerToProto(result.winner, proto);
  proto->mutable_ties()->Add(result.ties.begin(), result.ties.end());
  proto->mutable_funnel()->insert(result.funnel.begin(), result.funnel.end());
  ToProto(result.conditions, proto->mutable_conditions());
  PhasesToProto(result.phases, proto->mutable_phases());
  proto->set_partial(result.partial);
  proto->set_device_uuid(result.device_uuid);
  proto->set_device_name(result.device_name);
  proto->set_device_class(result.key.device_class);
  proto->set_driver_version(result.driver_version);
  proto->set_compiler(result.compiler);
  proto->set_template_digest(result.template_digest);
  proto->set_key_text(Text(result.key));
  proto->set_tflops(Tflops(result));
  proto->set_created_micros(result.created_micros);
  if (result.baseline)
    ToProto(*result.baseline, proto->mutable_baseline());
}

void EmptyResultToProto(const ResultKey& key, v1::TuneResult* proto) {
  proto->set_empty_problem(true);
  proto->set_device_class(key.device_class);
  proto->set_key_text(Text(key));
}

void ToProto(const Operation& operation, v1::Operation* proto) {
  proto->set_name(OperationName(operation.id));
  proto->set_state(StateToProto(operation.state));
  proto->set_seq(operation.seq);
  ProgressToProto(operation.progress, proto->mutable_progress());
  if (operation.result)
    ToProto(*operation.result, proto->mutable_result());
  if (operation.empty_problem)
    EmptyResultToProto(operation.key, proto->mutable_result());
  if (!operation.error.ok()) {
    const Status error = PublicStatus(operation.error, proto->name());
    proto->set_error_code(static_cast<int>(error.code()));
    proto->set_error_message(error.message());
  }
  proto->set_key_text(Text(operation.key));
  proto->set_attempts(operation.attempts);
  proto->set_created_micros(operation.created_micros);
  proto->set_from_store(operation.from_store);
}

void ToProto(const LiveDevice& device, v1::Device* proto) {
  proto->set_name(device.spec.name);
  proto->set_uuid(device.spec.uuid);
  proto->set_arch(device.spec.arch);
  proto->set_sm_count(device.spec.sm_count);
  proto->set_memory_bytes(device.spec.memory_bytes);
  proto->set_device_class(device.device_class);
  proto->set_driver_version(device.spec.driver_version);
  proto->set_state(device.lost ? "lost" : "ok");
}

}  // namespace tw
