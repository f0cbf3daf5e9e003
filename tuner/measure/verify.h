// Whether a candidate computes the problem: the whole of D against an independent reference, on
// poisoned, guarded, minimally aligned buffers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codegen/core/outcome.h"
#include "tuner/measure/contestant.h"
#include "tuner/measure/trial.h"

namespace tw {

struct Verdict {
  // kMeasured: right. kLaunchError: "launch_refused", "workspace_memory". kWrongResult:
  // "wrong_element", "nan", "unwritten", "out_of_bounds_write", "nondeterministic".
  OutcomeKind kind = OutcomeKind::kMeasured;
  std::string rule;
  std::string detail;
  double error_ratio = 0;  // worst |d - ref| / bound over all trials

  [[nodiscard]] bool ok() const { return kind == OutcomeKind::kMeasured; }
};

struct VerifierOptions {
  std::uint64_t seed = 1;
  bool integer_trial = true;      // a second, exact trial
  bool check_determinism = true;  // run twice, compare bits
};

// One problem on one device. Outlived by the device and the support kernels.
class Verifier {
 public:
  // Allocates, fills and computes the references. Requires: not an empty problem.
  static Result<std::unique_ptr<Verifier>> Open(Device& device,
                                                SupportKernels& support,
                                                const GemmProblem& problem,
                                                const VerifierOptions& options);

  // Runs the candidate on every trial, and once more on the last with a used workspace. An error:
  // the device failed, which the candidate may have caused (Device::sticky_error).
  Result<Verdict> Check(const Contestant& candidate);

  // Compares a D that was computed from operands equal to the first trial's.
  Result<Verdict> CheckOutput(DeviceAddress d);

  // Makes operands and references good again after a candidate that may have overwritten them.
  Status Restore();

  // A C that a kernel may not read: poison. Requires: beta is 0.
  [[nodiscard]] DeviceAddress unread_c() const;

 private:
  // Two D buffers, so that bits of two runs can be compared; then the workspace.
  enum Output : std::uint8_t { kFirst, kSecond, kWorkspace };

  struct Findings;

  Verifier(Device& device, SupportKernels& support, const GemmProblem& problem)
      : device_(device), support_(support), problem_(problem) {}

  Status Allocate(const VerifierOptions& options);
  Result<Verdict> PrepareWorkspace(std::int64_t bytes);
  Result<Verdict> RunOnce(const Contestant& candidate, const Trial& trial, Output output);
  Result<Verdict> Compare(const Trial& trial, DeviceAddress d);
  Result<Verdict> CheckGuards(const Trial& trial, Output output);
  Result<Verdict> CompareRuns();
  Result<Findings> Collect();
  Status Clear();
  [[nodiscard]] std::string DescribeElement(std::uint64_t index) const;

  Device& device_;
  SupportKernels& support_;
  GemmProblem problem_;
  bool check_determinism_ = true;
  std::vector<Trial> trials_;
  GuardedBuffer d_[2];
  GuardedBuffer workspace_;
  DeviceBuffer findings_;
};

}  // namespace tw
