// A right candidate beside the vendor's library: every algorithm that the library suggests is
// verified by the job's own rules, the right ones are screened on a warm device, and the fastest
// are timed in turns with ours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "codegen/core/baseline.h"
#include "tuner/benchmarker.h"
#include "tuner/device/device.h"
#include "tuner/measure/library_contestant.h"
#include "tuner/measure/timing.h"

namespace tw {

// One comparison. Outlived by the device and the rig.
class Baseline {
 public:
  // Verifies on the job's operands, which are good again after a wrong result.
  using Verify = std::function<Result<BenchmarkOutcome>(const Contestant&)>;

  Baseline(Device& device,
           const GemmProblem& problem,
           TimingRig& rig,
           Verify verify,
           const BaselineOptions& options)
      : device_(device),
        problem_(problem),
        rig_(rig),
        verify_(std::move(verify)),
        options_(options) {}

  // Every algorithm with its verdict; the right ones are kSkipped, nothing is timed.
  // Without a library or an algorithm `unavailable` says why, and that is all. An error: the
  // device failed; it names the algorithm.
  Result<BaselineReport> Judge();

  // Judges, then times `ours`, which is right. Requires: called once.
  Result<BaselineReport> Compare(const Contestant& ours);

 private:
  // Fills report_.algorithms and contestants_, or report_.unavailable.
  Status List();
  Status VerifyAll();
  Status VerifyOne(std::size_t index);

  // Times the right ones; those that cannot be timed are launch errors.
  Status Screen();

  // One pass over `positions`; nothing: one of them failed and is marked, try without it.
  Result<bool> ScreenOnce(const std::vector<std::size_t>& positions);

  // Positions in report_.algorithms of what may still win.
  [[nodiscard]] std::vector<std::size_t> Right() const;
  [[nodiscard]] std::vector<std::size_t> Finalists() const;

  Status TimeInTurns(const Contestant& ours, const std::vector<std::size_t>& finalists);
  void Conclude(const InterleavedTimes& times, const std::vector<std::size_t>& finalists);

  Device& device_;
  const GemmProblem& problem_;
  TimingRig& rig_;
  Verify verify_;
  BaselineOptions options_;
  std::unique_ptr<GemmLibrary> library_;
  std::vector<LibraryContestant> contestants_;  // as report_.algorithms
  BaselineReport report_;
};

}  // namespace tw
