// One benchmark job on one device: judges and times candidates against the job's reference.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "codegen/core/clock.h"
#include "tuner/benchmarker.h"
#include "tuner/device/device.h"
#include "tuner/measure/baseline.h"
#include "tuner/measure/timed_buffers.h"
#include "tuner/measure/timing.h"
#include "tuner/measure/verify.h"

namespace tw {

// Not thread-safe. Once device.sticky_error() is set, the process must end: every later call fails.
class JudgeSession {
 public:
  // Allocates everything but workspaces, fills the operands, computes the references.
  // ResourceExhausted: does not fit (numbers in the message). InvalidArgument: nothing to measure.
  // `device` and `clock` outlive the result.
  static Result<std::unique_ptr<JudgeSession>> Open(Device& device,
                                                    const Clock& clock,
                                                    const BenchmarkJob& job);

  // Verifies, then measures. A Status: the device failed in a way that is not the candidate's.
  Result<BenchmarkOutcome> Run(const CandidateRun& run);

  // Measures verified candidates in turns; one outcome each, in order.
  Result<std::vector<BenchmarkOutcome>> RunInterleaved(std::span<const CandidateRun> runs,
                                                       int rounds);

  // Every algorithm of the vendor's library on this job's operands, judged but not timed.
  Result<BaselineReport> JudgeLibrary(const BaselineOptions& options);

  // The candidate, verified first, beside the library. FailedPrecondition: it is not right.
  Result<BaselineReport> CompareWithLibrary(const CandidateRun& ours,
                                            const BaselineOptions& options);

  [[nodiscard]] double reference_seconds() const { return reference_seconds_; }

 private:
  JudgeSession(Device& device, const Clock& clock, const BenchmarkJob& job)
      : device_(device), clock_(clock), problem_(job.problem), options_(job.options) {}

  Status Allocate(const BenchmarkJob& job);
  Baseline MakeBaseline(const BaselineOptions& options);
  Result<BenchmarkOutcome> Verify(const Contestant& candidate);
  Result<BenchmarkOutcome> VerifyLibrary(const Contestant& algorithm);
  Result<BenchmarkOutcome> Measure(const Contestant& candidate);
  Result<BenchmarkOutcome> Judge(Verdict verdict);

  // A failing device operation is the candidate's if it left a sticky error.
  [[nodiscard]] Result<BenchmarkOutcome> Attributed(Result<BenchmarkOutcome> outcome) const;

  // Of a candidate that was timed.
  [[nodiscard]] BenchmarkOutcome Accept(Timed timed) const;

  // A failure while the candidate ran: crashed after a sticky error, otherwise a launch error.
  [[nodiscard]] BenchmarkOutcome Failed(std::string_view rule, const Status& status) const;

  Device& device_;
  const Clock& clock_;
  GemmProblem problem_;
  MeasureOptions options_;
  double reference_seconds_ = 0;
  double shortest_ns_ = 0;  // below this a time is impossible
  std::unique_ptr<SupportKernels> support_;
  std::unique_ptr<Verifier> verifier_;
  std::unique_ptr<TimedBuffers> buffers_;
  std::unique_ptr<TimingRig> rig_;
};

}  // namespace tw
