// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/status.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace tw {
namespace {

TEST(Status, DefaultIsOk) {
  EXPECT_TRUE(Status().ok());
  EXPECT_TRUE(OkStatus().ok());
  EXPECT_EQ(OkStatus().ToString(), "OK");
}

TEST(Status, InvalidFieldNamesFieldValueAndRule) {
  const Status status = InvalidField("m", "-1", "must be >= 0");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "m = -1: must be >= 0");
  EXPECT_EQ(status.field(), "m");
  EXPECT_EQ(status.ToString(), "INVALID_ARGUMENT: m = -1: must be >= 0");
}

TEST(Status, WithContextPrefixesOnceAndKeepsCodeAndField) {
  const Status status = InvalidField("lda", "3", "must be >= 4").WithContext("row 7");
  EXPECT_EQ(status.message(), "row 7: lda = 3: must be >= 4");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.field(), "lda");
  EXPECT_TRUE(OkStatus().WithContext("row 7").ok());
  EXPECT_EQ(OkStatus().WithContext("row 7").message(), "");
}

TEST(Status, CodesHaveGrpcNamesAndValues) {
  EXPECT_EQ(StatusCodeName(StatusCode::kOk), "OK");
  EXPECT_EQ(StatusCodeName(StatusCode::kCancelled), "CANCELLED");
  EXPECT_EQ(StatusCodeName(StatusCode::kDeadlineExceeded), "DEADLINE_EXCEEDED");
  EXPECT_EQ(StatusCodeName(StatusCode::kUnimplemented), "UNIMPLEMENTED");
  EXPECT_EQ(StatusCodeName(StatusCode::kDataLoss), "DATA_LOSS");
  EXPECT_EQ(StatusCodeName(static_cast<StatusCode>(99)), "UNKNOWN");
  EXPECT_EQ(static_cast<int>(StatusCode::kUnavailable), 14);
}

Result<int> Half(int x) {
  if (x % 2 != 0)
    return InvalidField("x", std::to_string(x), "must be even");
  return x / 2;
}

Result<int> Quarter(int x) {
  TW_ASSIGN_OR_RETURN(const int half, Half(x));
  TW_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

Status CheckMultipleOfFour(int x) {
  TW_RETURN_IF_ERROR(Quarter(x).status());
  return OkStatus();
}

TEST(Result, MacrosPassValuesAndErrorsOn) {
  EXPECT_EQ(Quarter(8).value(), 2);
  EXPECT_EQ(Quarter(6).status().message(), "x = 3: must be even");
  EXPECT_TRUE(CheckMultipleOfFour(4).ok());
  EXPECT_EQ(CheckMultipleOfFour(5).message(), "x = 5: must be even");
}

TEST(Result, MovesOutValuesThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  ASSERT_TRUE(result.ok());
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(ResultDeathTest, ValueOfAnErrorAborts) {
  const Result<int> result = Half(1);
  EXPECT_DEATH((void)result.value(), "check failed: ok\\(\\)");
}

TEST(ResultDeathTest, AnOkStatusIsNoResult) {
  EXPECT_DEATH((void)Result<int>(OkStatus()), "check failed");
}

TEST(CheckDeathTest, SaysFileLineAndCondition) {
  TW_CHECK(1 + 1 == 2);
  EXPECT_DEATH(TW_CHECK(1 + 1 == 3), "status_test.cc:[0-9]+: check failed: 1 \\+ 1 == 3");
}

}  // namespace
}  // namespace tw
