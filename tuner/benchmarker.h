// Benchmarker seam: what the tuner needs of a GPU. Implemented over worker processes
// (tuner/worker), faked in tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "codegen/core/baseline.h"
#include "codegen/core/calibration.h"
#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/outcome.h"

namespace tw {

struct MeasureOptions {
  Objective objective = Objective::kCold;
  int min_samples = 7;
  int max_samples = 31;
  double max_seconds = 0.25;     // per candidate
  double max_wait_seconds = 12;  // per candidate, for a disturbed device to become quiet
  double warmup_seconds = 0.3;   // once per session, and again after an idle pause
  std::uint64_t seed = 1;
};

// How the vendor's library is compared with.
struct BaselineOptions {
  Regime regime = Regime::kHot;
  std::int64_t workspace_limit_bytes = std::int64_t{64} << 20U;
  int screen_rounds = 5;  // of all right algorithms, to find the fastest
  int finalists = 5;      // of them go on, and the heuristics' first choice
  int min_rounds = 11;    // undisturbed ones, in turns with ours
  int max_rounds = 51;
  double max_seconds = 10;  // of undisturbed sampling in turns
};

struct BenchmarkJob {
  std::string device_uuid;
  GemmProblem problem;
  CompiledKernel support;  // compiled BuildSupportSource()
  MeasureOptions options;
  bool check_determinism = true;  // run twice, compare bits
};

struct CandidateRun {
  std::string candidate_id;
  CompiledKernel kernel;
  LaunchPlan launch;
  std::string source = {};  // for a person who looks into a failure; nothing measures it
};

// kind, rule, detail, error_ratio and measurement of a CandidateReport.
struct BenchmarkOutcome {
  OutcomeKind kind = OutcomeKind::kSkipped;
  std::string rule;
  std::string detail;
  double error_ratio = 0;
  std::optional<Measurement> measurement;
  double verify_seconds = 0;
  double measure_seconds = 0;
};

// One job on one device. Not thread-safe. Keeps the job's reference alive in the worker; a worker
// that dies is replaced and the job reopened there, so one bad candidate costs itself only.
class BenchmarkSession {
 public:
  virtual ~BenchmarkSession() = default;

  // Verifies, then measures. Never throws or fails as an operation because of the candidate;
  // a Status means that the device or the job is unusable.
  virtual Result<BenchmarkOutcome> Run(const CandidateRun& candidate, std::stop_token stop) = 0;

  // Re-measures verified candidates in turns (A B C A B C …), so that drift hits all alike.
  // One outcome per candidate, in order.
  virtual Result<std::vector<BenchmarkOutcome>> RunInterleaved(
      std::span<const CandidateRun> candidates, int rounds, std::stop_token stop) = 0;

  // Verifies a candidate and every algorithm of the vendor's library, then times it in turns with
  // the fastest right ones. No library, or none for this problem: BaselineReport::unavailable.
  // FailedPrecondition: the candidate is not right. Another Status names what failed, the library's
  // algorithm where one is to blame.
  virtual Result<BaselineReport> CompareWithLibrary(const CandidateRun& ours,
                                                    const BaselineOptions& options,
                                                    std::stop_token stop) = 0;
};

class Benchmarker {
 public:
  virtual ~Benchmarker() = default;

  // The devices that can measure; empty without a GPU.
  virtual std::vector<DeviceSpec> Devices() = 0;

  // Blocks until the device is free. Unavailable: no such device, or it is lost.
  virtual Result<std::unique_ptr<BenchmarkSession>> Open(const BenchmarkJob& job,
                                                         std::stop_token stop) = 0;

  // What the device has to give, measured now; takes about a second. `kernels`: compiled
  // BuildCalibrationSource(). created_micros is left 0. Blocks until the device is free.
  // Unavailable: no such device, or it is lost. Aborted: something else uses it. Otherwise as the
  // device says.
  virtual Result<Calibration> Calibrate(const std::string& device_uuid,
                                        const CompiledKernel& kernels,
                                        std::stop_token stop) = 0;
};

}  // namespace tw
