// One set of judged operands with the reference of their product. Computed once per job.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tuner/measure/guarded_buffer.h"
#include "tuner/measure/inputs.h"
#include "tuner/measure/support_kernels.h"

namespace tw {

struct TrialSpec {
  FillPattern pattern = FillPattern::kNormal;
  std::uint64_t seed = 1;
  Coverage coverage{};  // of device memory that outlives the trial
};

// Outlived by the device and the support kernels.
class Trial {
 public:
  static Result<Trial> Make(Device& device,
                            SupportKernels& support,
                            const GemmProblem& problem,
                            const TrialSpec& spec);

  // Fills the operands and computes the reference anew: after a kernel that may have written to
  // them.
  Status Restore();

  // With this D and workspace.
  [[nodiscard]] GemmParams Params(DeviceAddress d, DeviceAddress workspace) const;

  // With C in D's buffer, as the caller of an in-place product has it. Fills that first; what no
  // element owns stays as it is.
  [[nodiscard]] Result<GemmParams> ParamsInPlace(DeviceAddress d, DeviceAddress workspace) const;

  // Everything but the result's address and what to report.
  [[nodiscard]] CompareParams Comparison(DeviceAddress d) const;

  [[nodiscard]] const std::array<GuardedBuffer, kOperandParts.size()>& operands() const {
    return operands_;
  }

  [[nodiscard]] const ErrorBound& bound() const { return bound_; }

  [[nodiscard]] FillPattern pattern() const { return spec_.pattern; }

 private:
  // Draws the part's elements into a buffer laid out as `view`.
  Status Fill(Part part, MatrixView view, DeviceAddress data) const;

  Trial(SupportKernels& support, const GemmProblem& problem, const TrialSpec& spec);

  SupportKernels* support_;
  GemmProblem problem_;
  TrialSpec spec_;
  ErrorBound bound_{};
  // By Part: of C and the scales none where they are not read.
  std::array<GuardedBuffer, kOperandParts.size()> operands_;
  DeviceBuffer reference_;
  DeviceBuffer magnitude_;  // empty where no accumulated error is allowed
};

}  // namespace tw
