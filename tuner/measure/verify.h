// Whether a candidate computes the problem: D against an independent reference, on poisoned,
// guarded, minimally aligned buffers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/measure/checksums.h"
#include "tuner/measure/contestant.h"
#include "tuner/measure/inspector.h"
#include "tuner/measure/trial.h"
#include "tuner/measure/verdict.h"

namespace tw {

struct VerifierOptions {
  std::uint64_t seed = 1;
  std::vector<FillPattern> trials{FillPattern::kNormal};  // one at least; the first is kNormal
  bool sampled = false;           // D is huge: references of a sample, checksums and a scan of all
  bool check_determinism = true;  // run again and again, compare all bits
};

// What of a full check is left out.
struct CheckScope {
  bool in_place = true;  // C in D's place too, where the problem allows that
  // Only operands that the products' type holds exactly: for a tf32 library that cuts the others
  // off where the contract rounds them.
  bool exact_operands_only = false;
};

// One problem on one device. Outlived by the device and the support kernels.
class Verifier {
 public:
  // Allocates, fills and computes the references. Requires: not an empty problem.
  static Result<std::unique_ptr<Verifier>> Open(Device& device,
                                                SupportKernels& support,
                                                const GemmProblem& problem,
                                                const VerifierOptions& options);

  // Runs the candidate on every trial, again on the last with a used workspace, and once with C
  // in D's place where the problem allows that. An error: the device failed, which the candidate
  // may have caused (Device::sticky_error).
  Result<Verdict> Check(const Contestant& candidate, const CheckScope& scope = {});

  // Compares a D that was computed from operands equal to the first trial's.
  Result<Verdict> CheckOutput(DeviceAddress d);

  // Makes operands and references good again after a candidate that may have overwritten them.
  Status Restore();

  // An address of C's alignment and size for kernels that may not read C. Requires: beta is 0.
  [[nodiscard]] DeviceAddress unread_c() const;

  // "all of D", or what of it is compared and summed.
  [[nodiscard]] std::string coverage() const;

 private:
  // A trial, and its checksums where D is sampled.
  struct Judged {
    Trial trial;
    std::optional<Checksums> checksums;
  };

  Verifier(Device& device, SupportKernels& support, const GemmProblem& problem, Inspector inspector)
      : device_(device), support_(support), problem_(problem), inspector_(std::move(inspector)) {}

  Status Allocate(const VerifierOptions& options);
  Status AllocateSample(std::uint64_t seed);
  Result<Verdict> CheckAll(const Contestant& candidate, const CheckScope& scope);
  // Poison, but for the bytes that the candidate needs zero.
  Result<Verdict> PrepareWorkspace(const Contestant& candidate);
  // Runs on a poisoned D and judges it.
  Result<Verdict> CheckOn(const Contestant& candidate, Judged& judged);
  Result<Verdict> CheckAgain(const Contestant& candidate, Judged& judged);
  Status PoisonAnew(int run);
  Result<Verdict> CheckInPlace(const Contestant& candidate, Judged& judged);
  // `times_before`: it ran on these operands, for which the runs differ in what the L2 holds.
  Result<Verdict> Run(const Contestant& candidate,
                      const Trial& trial,
                      const GemmParams& params,
                      int times_before);
  Result<Verdict> JudgeOutput(Judged& judged, DeviceAddress d);

  Device& device_;
  SupportKernels& support_;
  GemmProblem problem_;
  Inspector inspector_;
  bool check_determinism_ = true;
  std::vector<Position> tiles_;  // of the sample; empty where all of D is compared
  DeviceBuffer device_tiles_;
  std::unique_ptr<Checksums::Scratch> scratch_;
  std::vector<Judged> judged_;
  GuardedBuffer d_;
  GuardedBuffer workspace_;
};

}  // namespace tw
