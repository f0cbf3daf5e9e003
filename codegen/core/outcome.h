// What became of a candidate, and of a whole tune. A failed candidate is data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/core/baseline.h"
#include "codegen/core/candidate.h"
#include "codegen/core/gemm_problem.h"
#include "codegen/core/measurement.h"

namespace tw {

struct CandidateReport {
  std::string candidate_id;
  KernelConfig config;
  OutcomeKind kind = OutcomeKind::kSkipped;
  std::string rule;    // prune rule or short reason, from a closed set: the counter's name
  std::string detail;  // one line for a person
  Resources resources;
  double predicted_ns = 0;
  std::string predicted_bound;
  std::vector<EntryResources> compiled;  // empty before compilation
  double error_ratio = 0;                // worst |d - ref| / bound; <= 1 passes
  std::optional<Measurement> measurement;
  std::string artifact_digest;  // KernelSource::digest
};

// Seconds by phase. compile is CPU seconds summed over children; the rest is wall time.
struct PhaseTimes {
  double enumerate_s = 0, compile_cpu_s = 0, compile_wall_s = 0, verify_s = 0, measure_s = 0,
         total_s = 0;
  int compiled = 0;  // kernels really compiled (artefact-cache hits not counted)
};

// Lower values replace nothing above them.
enum class RowState : std::uint8_t { kPredicted = 0, kStale = 1, kUnverified = 2, kMeasured = 3 };

std::string_view Name(RowState state);
std::optional<RowState> ParseRowState(std::string_view name);

struct Winner {
  std::string candidate_id;
  KernelConfig config;
  std::string source_digest;
  LaunchPlan launch;
  double time_ns = 0;  // median where measured, else predicted
  double ci_low_ns = 0, ci_high_ns = 0;
  double error_ratio = 0;
};

struct ResultKey {
  std::string problem;  // CanonicalText
  std::string device_class;
  std::string contract;
  std::string objective;

  // clang-tidy 14 takes the comparison with 0 inside for a null pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const ResultKey&, const ResultKey&) = default;
};

std::string Text(const ResultKey& key);  // the four parts joined by "|"

struct TuneResult {
  ResultKey key;
  RowState state = RowState::kPredicted;
  Winner winner;
  std::vector<std::string> ties;  // candidate ids within the winner's interval
  std::map<std::string, std::int64_t>
      funnel;  // "space", "pruned:<rule>", "compiled", "wrong_result", …
  Conditions conditions;
  PhaseTimes phases;
  bool partial = false;  // the budget ended first
  std::string device_uuid;
  std::string device_name;
  int driver_version = 0;
  std::string compiler;
  std::string template_digest;
  std::string run_id;  // the operation that made it
  std::int64_t created_micros = 0;
  std::optional<BaselineReport> baseline;  // the last comparison with a library
};

}  // namespace tw
