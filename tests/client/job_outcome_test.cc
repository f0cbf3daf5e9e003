// SPDX-License-Identifier: Apache-2.0
#include "client/cli/job_outcome.h"

#include <gtest/gtest.h>

#include "tests/client/samples.h"

namespace tw::cli {
namespace {

v1::Operation Failed(StatusCode code) {
  v1::Operation operation;
  operation.set_state(v1::OPERATION_STATE_FAILED);
  operation.set_error_code(static_cast<int>(code));
  operation.set_error_message("why");
  return operation;
}

v1::StartTuneRequest Measured(bool required) {
  v1::StartTuneRequest request;
  request.set_require_measured(required);
  return request;
}

TEST(JobOutcome, ResultsAreShown) {
  EXPECT_EQ(Judge(SampleTune(), Measured(true)).code, ExitCode::kOk);
  EXPECT_EQ(Judge(SamplePredicted(), Measured(false)).code, ExitCode::kOk);
  EXPECT_TRUE(Judge(SamplePredicted(), Measured(false)).status.ok());
}

TEST(JobOutcome, PredictedIsNotMeasured) {
  const JobOutcome outcome = Judge(SamplePredicted(), Measured(true));
  EXPECT_EQ(outcome.code, ExitCode::kOnlyPredicted);
  EXPECT_FALSE(outcome.status.ok());
}

TEST(JobOutcome, AnEmptyProblemNeedsNoMeasurement) {
  v1::Operation operation;
  operation.set_state(v1::OPERATION_STATE_SUCCEEDED);
  operation.mutable_result()->set_empty_problem(true);
  EXPECT_EQ(Judge(operation, Measured(true)).code, ExitCode::kOk);
}

TEST(JobOutcome, FailuresHaveTheirCodes) {
  EXPECT_EQ(Judge(Failed(StatusCode::kNotFound), Measured(false)).code, ExitCode::kNoCandidate);
  EXPECT_EQ(Judge(Failed(StatusCode::kFailedPrecondition), Measured(true)).code,
            ExitCode::kOnlyPredicted);
  EXPECT_EQ(Judge(Failed(StatusCode::kFailedPrecondition), Measured(false)).code,
            ExitCode::kNoCandidate);
  EXPECT_EQ(Judge(Failed(StatusCode::kUnavailable), Measured(false)).code, ExitCode::kUnavailable);
  EXPECT_EQ(Judge(Failed(StatusCode::kInternal), Measured(false)).code, ExitCode::kInternal);
  EXPECT_EQ(Judge(Failed(StatusCode::kInternal), Measured(false)).status.message(), "why");
}

TEST(JobOutcome, CancelledByOthersMayBeTriedAgain) {
  v1::Operation operation;
  operation.set_state(v1::OPERATION_STATE_CANCELLED);
  EXPECT_EQ(Judge(operation, Measured(false)).code, ExitCode::kTryAgain);
}

TEST(JobOutcome, RefusedRequests) {
  const Status refused(StatusCode::kFailedPrecondition, "no GPU");
  EXPECT_EQ(RequestExit(refused, Measured(true)), ExitCode::kOnlyPredicted);
  EXPECT_EQ(RequestExit(refused, Measured(false)), ExitCode::kConfiguration);
  EXPECT_EQ(RequestExit({StatusCode::kInvalidArgument, "m = -1"}, Measured(true)),
            ExitCode::kUsage);
}

}  // namespace
}  // namespace tw::cli
