// A benchmarker whose outcomes are scripted by candidate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/benchmarker.h"

namespace tw::fakes {

// A verified measurement with a 95 % interval of median -/+ `half_width_ns`.
inline BenchmarkOutcome Measured(double median_ns, double half_width_ns = 1) {
  Measurement measurement;
  measurement.samples_ns = {median_ns - half_width_ns, median_ns, median_ns + half_width_ns};
  measurement.median_ns = median_ns;
  measurement.ci_low_ns = median_ns - half_width_ns;
  measurement.ci_high_ns = median_ns + half_width_ns;
  measurement.min_ns = median_ns - half_width_ns;
  measurement.conditions.sm_clock_mhz = 1755;
  BenchmarkOutcome outcome;
  outcome.kind = OutcomeKind::kMeasured;
  outcome.error_ratio = 0.25;
  outcome.measurement = std::move(measurement);
  outcome.verify_seconds = 0.01;
  outcome.measure_seconds = 0.1;
  return outcome;
}

inline BenchmarkOutcome Failed(OutcomeKind kind, std::string rule = {}) {
  BenchmarkOutcome outcome;
  outcome.kind = kind;
  outcome.rule = std::move(rule);
  outcome.detail = "scripted";
  return outcome;
}

struct FakeHeat {
  std::size_t entrants = 0;
  int rounds = 0;

  friend bool operator==(const FakeHeat&, const FakeHeat&) = default;
};

class FakeBenchmarker final : public Benchmarker {
 public:
  using Script = std::function<Result<BenchmarkOutcome>(const CandidateRun&)>;

  explicit FakeBenchmarker(std::vector<DeviceSpec> devices) : devices_(std::move(devices)) {}

  Script run = [](const CandidateRun&) { return Result<BenchmarkOutcome>(Measured(1000)); };
  Script final_run;  // empty: as `run`
  Status open_status;
  std::function<Result<Calibration>(const std::string& uuid)> calibrate = [](const std::string&) {
    return Result<Calibration>(Status(StatusCode::kUnimplemented, "not in the script"));
  };
  BaselineReport baseline;  // what every comparison finds
  Status baseline_status;

  // What was asked for, in order.
  std::vector<std::string> runs;       // entries
  std::vector<std::string> finalists;  // entries, all final rounds together
  std::vector<FakeHeat> heats;
  std::vector<BenchmarkJob> jobs;
  std::vector<std::string> calibrated;  // devices
  std::vector<std::string> compared;    // entries of winners beside the library
  BaselineOptions baseline_options;     // of the last of them

  [[nodiscard]] int TimesRun(const std::string& entry) const {
    return static_cast<int>(std::count(runs.begin(), runs.end(), entry));
  }

  std::vector<DeviceSpec> Devices() override { return devices_; }

  Result<std::unique_ptr<BenchmarkSession>> Open(const BenchmarkJob& job,
                                                 std::stop_token /*stop*/) override {
    jobs.push_back(job);
    if (!open_status.ok()) {
      return open_status;
    }
    return std::unique_ptr<BenchmarkSession>(new Session(*this));
  }

  Result<Calibration> Calibrate(const std::string& device_uuid,
                                const CompiledKernel& /*kernels*/,
                                std::stop_token /*stop*/) override {
    calibrated.push_back(device_uuid);
    return calibrate(device_uuid);
  }

 private:
  class Session final : public BenchmarkSession {
   public:
    explicit Session(FakeBenchmarker& owner) : owner_(owner) {}

    Result<BenchmarkOutcome> Run(const CandidateRun& candidate, std::stop_token /*stop*/) override {
      owner_.runs.push_back(candidate.launch.launches.front().entry);
      return owner_.run(candidate);
    }

    Result<std::vector<BenchmarkOutcome>> RunInterleaved(std::span<const CandidateRun> candidates,
                                                         int rounds,
                                                         std::stop_token /*stop*/) override {
      owner_.heats.push_back({.entrants = candidates.size(), .rounds = rounds});
      std::vector<BenchmarkOutcome> outcomes;
      for (const CandidateRun& candidate : candidates) {
        owner_.finalists.push_back(candidate.launch.launches.front().entry);
        TW_ASSIGN_OR_RETURN(BenchmarkOutcome outcome,
                            owner_.final_run ? owner_.final_run(candidate) : owner_.run(candidate));
        outcomes.push_back(std::move(outcome));
      }
      return outcomes;
    }

    Result<BaselineReport> CompareWithLibrary(const CandidateRun& ours,
                                              const BaselineOptions& options,
                                              std::stop_token /*stop*/) override {
      owner_.compared.push_back(ours.launch.launches.front().entry);
      owner_.baseline_options = options;
      if (!owner_.baseline_status.ok()) {
        return owner_.baseline_status;
      }
      return owner_.baseline;
    }

   private:
    FakeBenchmarker& owner_;
  };

  std::vector<DeviceSpec> devices_;
};

}  // namespace tw::fakes
