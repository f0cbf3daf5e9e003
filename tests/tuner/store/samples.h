// Rows with every field set, for the store's tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

#include "codegen/core/calibration.h"
#include "codegen/core/outcome.h"
#include "tests/fakes/sample_launch.h"
#include "tuner/store/result_store.h"

namespace tw {

inline ResultKey SampleKey() {
  return {.problem = "gemm/1 m=1 n=2 k=3",
          .device_class = "sm_90a/132sm/144gb",
          .contract = "det",
          .objective = "cold"};
}

inline Conditions SampleConditions() {
  return {.sm_clock_mhz = 1755.1,
          .temperature_c = 41,
          .power_w = 512.25,
          .power_limit_w = 700,
          .throttle_reasons = 0x8000000000000004ULL};
}

inline KernelConfig SampleConfig(int tile_m = 128) {
  return {.family = "mma_sync", .knobs = {{"tile_m", tile_m}, {"tile_n", 64}}};
}

inline Measurement SampleMeasurement() {
  return {.samples_ns = {1.0 / 3, 2.0 / 3},
          .median_ns = 0.5,
          .ci_low_ns = 1.0 / 3,
          .ci_high_ns = 2.0 / 3,
          .min_ns = 1.0 / 3,
          .discarded = 1,
          .conditions = SampleConditions()};
}

inline BaselineReport SampleBaseline() {
  BaselineReport report;
  report.library = "cublaslt 13.0.2";
  report.unavailable = "why not";
  report.regime = Regime::kAlone;
  BaselineAlgorithm right;
  right.index = 1;
  right.description = "id 66";
  right.workspace_bytes = 1LL << 26;
  right.kind = OutcomeKind::kMeasured;
  right.error_ratio = 0.25;
  right.screened_ns = 123.5;
  right.measurement = SampleMeasurement();
  BaselineAlgorithm wrong;
  wrong.kind = OutcomeKind::kWrongResult;
  wrong.rule = "wrong_element";
  wrong.detail = "D[0]";
  wrong.error_ratio = std::numeric_limits<double>::infinity();
  report.algorithms = {wrong, right};
  report.best = 1;
  report.over_best = {.ratio = 0.625, .low = 0.5, .high = 0.75, .pairs = 15};
  report.over_first = {.ratio = 1.25, .low = 1, .high = 1.5, .pairs = 14};
  report.verdict = ComparisonVerdict::kSlower;
  report.ours = SampleMeasurement();
  report.discarded = {{"other_load", 7}};
  report.conditions = SampleConditions();
  return report;
}

inline TuneResult SampleResult() {
  TuneResult result;
  result.key = SampleKey();
  result.state = RowState::kMeasured;
  result.winner.candidate_id = "00112233445566aa";
  result.winner.config = SampleConfig();
  result.winner.source_digest = std::string(64, 'a');
  result.winner.launch = fakes::SampleLaunchPlan();
  result.winner.time_ns = 12345.678901234567;
  result.winner.ci_low_ns = 0.1;
  result.winner.ci_high_ns = 1e300;
  result.winner.error_ratio = 1.0 / 3;
  result.ties = {"tie1", "tie2"};
  result.funnel = {{"space", 600}, {"pruned:smem", 12}};
  result.conditions = SampleConditions();
  result.phases = {.enumerate_s = 0.01,
                   .compile_cpu_s = 9.5,
                   .compile_wall_s = 1.25,
                   .verify_s = 0.5,
                   .measure_s = 3,
                   .total_s = 5.125,
                   .compiled = 40};
  result.partial = true;
  result.device_uuid = "GPU-1234";
  result.device_name = "NVIDIA H200";
  result.driver_version = 13000;
  result.compiler = "nvrtc 13.0";
  result.template_digest = std::string(64, 'b');
  result.run_id = "op-1";
  result.created_micros = 1'700'000'000'000'001;
  result.baseline = SampleBaseline();
  return result;
}

inline CandidateReport SampleReport(const std::string& id = "cand") {
  CandidateReport report;
  report.candidate_id = id;
  report.config = SampleConfig();
  report.kind = OutcomeKind::kMeasured;
  report.rule = "some_rule";
  report.detail = "a \"quoted\" line with \xc3\xa9 and a \n break";
  report.resources = {.threads = 256,
                      .smem_bytes = 65536,
                      .regs_estimate = 128,
                      .tiles = 1LL << 33,
                      .blocks = 1LL << 34,
                      .split_k = 2,
                      .stages = 4,
                      .tile_m = 128,
                      .tile_n = 64,
                      .tile_k = 32,
                      .workspace_bytes = 4096};
  report.predicted_ns = 0.1 + 0.2;
  report.predicted_bound = "tensor";
  EntryResources entry;
  entry.entry = "tw_mma_sync";
  entry.registers = 121;
  entry.spill_store_bytes = 1;
  entry.spill_load_bytes = 2;
  entry.stack_bytes = 3;
  entry.static_smem_bytes = 4;
  report.compiled = {entry, EntryResources{}};
  report.error_ratio = std::numeric_limits<double>::infinity();
  Measurement measurement;
  measurement.samples_ns = {1.0 / 3, 2.0 / 3, std::numeric_limits<double>::denorm_min(), 5e-324,
                            1e22};
  measurement.median_ns = 2.0 / 3;
  measurement.ci_low_ns = 0.6;
  measurement.ci_high_ns = 0.7;
  measurement.min_ns = 1.0 / 3;
  measurement.discarded = 2;
  measurement.conditions = SampleConditions();
  report.measurement = measurement;
  report.artifact_digest = std::string(64, 'c');
  return report;
}

inline Calibration SampleCalibration(const std::string& uuid = "GPU-1234") {
  return {.device_uuid = uuid,
          .driver_version = 13000,
          .dram_bytes_per_s = 4.1e12 / 3,
          .l2_bytes_per_clock_per_sm = 0.1 + 0.2,
          .sm_clock_hz = 1.7123456789e9,
          .launch_s = 1.0 / 3e6,
          .created_micros = 1'700'000'000'000'001};
}

inline JobRecord SampleJob(const std::string& id = "job-1") {
  JobRecord job;
  job.id = id;
  job.key = SampleKey();
  job.state = JobState::kFailed;
  job.attempts = 3;
  job.request = std::string("\0binary\xff\n", 9);
  job.error_code = StatusCode::kNotFound;
  job.error = "no candidate survived";
  job.created_micros = 100;
  job.updated_micros = 200;
  return job;
}

}  // namespace tw
