// SPDX-License-Identifier: Apache-2.0
#include "client/cli/job_outcome.h"

namespace tw::cli {
namespace {

// What a job's failure means differs from what the same code means for an RPC.
ExitCode FailureExit(StatusCode code, bool require_measured) {
  switch (code) {
    case StatusCode::kNotFound:
      return ExitCode::kNoCandidate;
    case StatusCode::kFailedPrecondition:
      return require_measured ? ExitCode::kOnlyPredicted : ExitCode::kNoCandidate;
    default:
      return ExitCodeOf(code);
  }
}

}  // namespace

JobOutcome Judge(const v1::Operation& operation, const v1::StartTuneRequest& request) {
  if (operation.state() == v1::OPERATION_STATE_CANCELLED) {
    return {{StatusCode::kAborted, operation.name() + " was cancelled; run the command again"},
            ExitCode::kTryAgain};
  }
  if (operation.state() == v1::OPERATION_STATE_FAILED) {
    const auto code = static_cast<StatusCode>(operation.error_code());
    return {{code, operation.error_message()}, FailureExit(code, request.require_measured())};
  }
  const v1::TuneResult& result = operation.result();
  if (request.require_measured() && !result.empty_problem() &&
      result.state() != v1::RESULT_STATE_MEASURED) {
    return {{StatusCode::kFailedPrecondition, "the result is " + std::string(Name(result.state())) +
                                                  " only, and a measurement was required"},
            ExitCode::kOnlyPredicted};
  }
  return {OkStatus(), ExitCode::kOk};
}

ExitCode RequestExit(const Status& status, const v1::StartTuneRequest& request) {
  if (status.code() == StatusCode::kFailedPrecondition && request.require_measured()) {
    return ExitCode::kOnlyPredicted;
  }
  return ExitCodeOf(status.code());
}

}  // namespace tw::cli
