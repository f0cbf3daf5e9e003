// SPDX-License-Identifier: Apache-2.0
#include "tests/client/samples.h"

namespace tw::cli {
namespace {

constexpr std::int64_t kCreated = 1'767'225'600'000'000;  // 2026-01-01 00:00:00 UTC

void AddWinner(v1::TuneResult& result) {
  result.set_candidate_id("0123456789abcdef");
  result.set_config("mma_sync:tile_m=128,tile_n=256,tile_k=32,stages=3");
  result.set_source_digest("5d1f");
  v1::KernelLaunch& launch = *result.add_launches();
  launch.set_entry("tw_mma_sync_bf16_nt_128x256x32_s3");
  for (const unsigned value : {43U, 32U, 1U}) {
    launch.add_grid(value);
  }
  for (const unsigned value : {256U, 1U, 1U}) {
    launch.add_block(value);
  }
  launch.set_dynamic_smem_bytes(73728);
  result.set_workspace_bytes(4 << 20);
  result.set_compiler("nvrtc 13.0");
  result.set_template_digest("beef");
  result.set_key_text("v1|m4096|cc9.0|det|cold");
  result.set_created_micros(kCreated);
  result.set_device_class("cc9.0,132sm");
  auto& funnel = *result.mutable_funnel();
  funnel["space"] = 1204;
  funnel["pruned:smem"] = 700;
  funnel["pruned:registers"] = 400;
  funnel["compiled"] = 40;
  funnel["wrong_result"] = 1;
  funnel["timed_out"] = 0;
}

void AddAlgorithm(v1::BaselineReport& report, const std::string& outcome, double time_ns) {
  v1::BaselineAlgorithm& algorithm = *report.add_algorithms();
  algorithm.set_index(report.algorithms_size() - 1);
  algorithm.set_description("id 66 tile " + std::to_string(20 + algorithm.index()) + " stages 36");
  algorithm.set_workspace_bytes(algorithm.index() * 1024 * 1024);
  algorithm.set_outcome(outcome);
  algorithm.set_error_ratio(outcome == "wrong_result" ? 37.5 : 0.25);
  algorithm.set_screened_ns(outcome == "wrong_result" ? 0 : 400'000 + algorithm.index());
  algorithm.set_time_ns(time_ns);
}

}  // namespace

v1::Key SampleKey() {
  v1::Key key;
  v1::GemmProblem& p = *key.mutable_problem();
  p.set_m(4096);
  p.set_n(11008);
  p.set_k(4096);
  p.mutable_a()->set_type(v1::DATA_TYPE_BF16);
  p.mutable_b()->set_type(v1::DATA_TYPE_BF16);
  p.mutable_a()->set_major(v1::MATRIX_MAJOR_ROW);
  p.mutable_b()->set_major(v1::MATRIX_MAJOR_COLUMN);
  p.mutable_a()->set_leading_dimension(4104);
  p.set_bias(v1::BIAS_COLUMN);
  p.set_activation("relu");
  key.mutable_contract()->set_deterministic(true);
  return key;
}

v1::Operation SampleTune() {
  v1::Operation operation;
  operation.set_name("operations/0f");
  operation.set_state(v1::OPERATION_STATE_SUCCEEDED);
  operation.set_attempts(1);
  operation.set_daemon_ms(0.4);
  operation.set_created_micros(kCreated);
  v1::TuneResult& result = *operation.mutable_result();
  AddWinner(result);
  operation.set_key_text(result.key_text());
  (*result.mutable_funnel())["measured"] = 39;
  result.set_state(v1::RESULT_STATE_MEASURED);
  result.set_time_ns(568'400);
  result.set_ci_low_ns(567'900);
  result.set_ci_high_ns(569'100);
  result.set_tflops(649.8);
  result.set_error_ratio(0.0312);
  result.add_ties("fedcba9876543210");
  v1::Conditions& at = *result.mutable_conditions();
  at.set_sm_clock_mhz(1755);
  at.set_temperature_c(52);
  at.set_power_w(612);
  at.set_power_limit_w(700);
  at.set_throttle_reasons(0x4);
  v1::PhaseTimes& phases = *result.mutable_phases();
  phases.set_enumerate_s(0.012);
  phases.set_compile_cpu_s(14);
  phases.set_compile_wall_s(1.25);
  phases.set_verify_s(0.5);
  phases.set_measure_s(3.25);
  phases.set_total_s(5.5);
  phases.set_compiled(40);
  result.set_device_uuid("GPU-42");
  result.set_device_name("NVIDIA H200");
  result.set_driver_version(13000);
  return operation;
}

v1::Operation SamplePredicted() {
  v1::Operation operation;
  operation.set_name("operations/1f");
  operation.set_state(v1::OPERATION_STATE_SUCCEEDED);
  operation.set_attempts(1);
  v1::TuneResult& result = *operation.mutable_result();
  AddWinner(result);
  operation.set_key_text(result.key_text());
  result.set_state(v1::RESULT_STATE_PREDICTED);
  result.set_time_ns(590'000);
  result.set_tflops(626);
  result.set_partial(true);
  result.set_device_name("NVIDIA H200");
  result.add_ties("fedcba9876543210");
  result.mutable_phases()->set_compiled(0);
  result.mutable_phases()->set_total_s(61.5);
  return operation;
}

v1::ListDevicesResponse SampleDevices() {
  v1::ListDevicesResponse response;
  v1::Device& device = *response.add_devices();
  device.set_name("NVIDIA H200");
  device.set_uuid("GPU-42");
  device.set_arch("sm_90a");
  device.set_sm_count(132);
  device.set_memory_bytes(150'000'000'000);
  device.set_device_class("cc9.0,132sm");
  device.set_driver_version(13000);
  device.set_state("ok");
  response.add_known_archs("sm_80");
  response.add_known_archs("sm_90a");
  return response;
}

v1::GetStatusResponse SampleStatus() {
  v1::GetStatusResponse status;
  status.set_version("0.1.0");
  status.set_uptime_s(75);
  status.set_store_path("/data/store.db");
  status.set_results(12);
  status.set_reports(480);
  status.set_store_bytes(3 << 20);
  status.set_queued(2);
  status.set_running(1);
  status.set_compile_workers(15);
  status.set_compiler("nvrtc 13.0");
  status.set_devices(1);
  status.set_template_digest("beef");
  status.set_pid(77);
  return status;
}

v1::ListOperationsResponse SampleJobs() {
  v1::ListOperationsResponse response;
  *response.add_operations() = SampleTune();
  v1::Operation& failed = *response.add_operations();
  failed.set_name("operations/2f");
  failed.set_state(v1::OPERATION_STATE_FAILED);
  failed.set_error_message("no candidate survived: wrong_result 3");
  failed.set_key_text("v1|m3");
  failed.set_attempts(1);
  v1::Operation& running = *response.add_operations();
  running.set_name("operations/3f");
  running.set_state(v1::OPERATION_STATE_RUNNING);
  running.set_key_text("v1|m4");
  running.mutable_progress()->set_phase("compile");
  running.mutable_progress()->set_total(40);
  running.mutable_progress()->set_compiled(12);
  running.mutable_progress()->set_measured(3);
  return response;
}

v1::BaselineReport SampleBaseline() {
  v1::BaselineReport report;
  report.set_library("cublaslt 13.0.2");
  report.set_regime(v1::REGIME_COOL);
  AddAlgorithm(report, "measured", 375'200);
  AddAlgorithm(report, "wrong_result", 0);
  AddAlgorithm(report, "measured", 358'100);
  AddAlgorithm(report, "skipped", 0);
  report.mutable_algorithms(1)->set_rule("wrong_element");
  report.mutable_algorithms(1)->set_detail("D[0][2046] is 3, should be 2047");
  report.set_best(2);
  report.set_first(0);
  report.mutable_over_best()->set_ratio(0.63);
  report.mutable_over_best()->set_low(0.626);
  report.mutable_over_best()->set_high(0.634);
  report.mutable_over_best()->set_pairs(15);
  report.mutable_over_first()->set_ratio(0.66);
  report.mutable_over_first()->set_low(0.656);
  report.mutable_over_first()->set_high(0.664);
  report.mutable_over_first()->set_pairs(15);
  report.set_verdict("slower");
  report.set_ours_ns(568'900);
  (*report.mutable_discarded())["throttled"] = 3;
  (*report.mutable_discarded())["foreign_load"] = 1;
  v1::Conditions& at = *report.mutable_conditions();
  at.set_sm_clock_mhz(1980);
  at.set_temperature_c(41);
  at.set_power_w(310);
  at.set_power_limit_w(700);
  return report;
}

}  // namespace tw::cli
