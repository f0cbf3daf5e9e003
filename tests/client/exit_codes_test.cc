// SPDX-License-Identifier: Apache-2.0
#include "client/cli/exit_codes.h"

#include <gtest/gtest.h>

namespace tw::cli {
namespace {

TEST(ExitCodes, AreTheDocumentedNumbers) {
  EXPECT_EQ(static_cast<int>(ExitCode::kOk), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::kMiss), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::kOnlyPredicted), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::kNoCandidate), 6);
  EXPECT_EQ(static_cast<int>(ExitCode::kInterrupted), 130);
  EXPECT_EQ(static_cast<int>(ExitCode::kUsage), 64);
  EXPECT_EQ(static_cast<int>(ExitCode::kBadInput), 65);
  EXPECT_EQ(static_cast<int>(ExitCode::kUnavailable), 69);
  EXPECT_EQ(static_cast<int>(ExitCode::kInternal), 70);
  EXPECT_EQ(static_cast<int>(ExitCode::kTryAgain), 75);
  EXPECT_EQ(static_cast<int>(ExitCode::kConfiguration), 78);
}

TEST(ExitCodes, FollowTheStatus) {
  const struct {
    StatusCode status;
    ExitCode exit;
  } rows[] = {
      {StatusCode::kOk, ExitCode::kOk},
      {StatusCode::kCancelled, ExitCode::kInterrupted},
      {StatusCode::kInvalidArgument, ExitCode::kUsage},
      {StatusCode::kUnimplemented, ExitCode::kUsage},
      {StatusCode::kNotFound, ExitCode::kMiss},
      {StatusCode::kDeadlineExceeded, ExitCode::kUnavailable},
      {StatusCode::kUnavailable, ExitCode::kUnavailable},
      {StatusCode::kResourceExhausted, ExitCode::kTryAgain},
      {StatusCode::kAborted, ExitCode::kTryAgain},
      {StatusCode::kFailedPrecondition, ExitCode::kConfiguration},
      {StatusCode::kPermissionDenied, ExitCode::kConfiguration},
      {StatusCode::kInternal, ExitCode::kInternal},
      {StatusCode::kUnknown, ExitCode::kInternal},
      {StatusCode::kDataLoss, ExitCode::kInternal},
      {static_cast<StatusCode>(99), ExitCode::kInternal},
  };

  for (const auto& row : rows) {
    EXPECT_EQ(ExitCodeOf(row.status), row.exit) << static_cast<int>(row.status);
  }
}

}  // namespace
}  // namespace tw::cli
