// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/outcome.h"

#include <set>

#include <gtest/gtest.h>

namespace tw {
namespace {

TEST(Outcome, KindNamesAreDistinctAndParseBack) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(OutcomeKind::kSkipped); ++i) {
    const auto kind = static_cast<OutcomeKind>(i);
    EXPECT_TRUE(names.insert(Name(kind)).second);
    EXPECT_EQ(ParseOutcomeKind(Name(kind)), kind);
  }
  EXPECT_EQ(Name(OutcomeKind::kWrongResult), "wrong_result");
  EXPECT_EQ(Name(OutcomeKind::kTimedOut), "timed_out");
  EXPECT_EQ(Name(OutcomeKind::kSkipped), "skipped");
  EXPECT_FALSE(ParseOutcomeKind("ok"));
  EXPECT_FALSE(ParseOutcomeKind(""));
}

TEST(Outcome, RowStatesAreOrderedAndParseBack) {
  for (const RowState state :
       {RowState::kPredicted, RowState::kStale, RowState::kUnverified, RowState::kMeasured})
    EXPECT_EQ(ParseRowState(Name(state)), state);
  EXPECT_EQ(Name(RowState::kPredicted), "predicted");
  EXPECT_EQ(Name(RowState::kMeasured), "measured");
  EXPECT_LT(RowState::kPredicted, RowState::kStale);
  EXPECT_LT(RowState::kStale, RowState::kUnverified);
  EXPECT_LT(RowState::kUnverified, RowState::kMeasured);
  EXPECT_FALSE(ParseRowState("MEASURED"));
}

TEST(ResultKey, TextJoinsEveryPart) {
  const ResultKey key{"gemm1 m=1", "sm_90a/132sm/144gb", "det", "cold"};
  EXPECT_EQ(Text(key), "gemm1 m=1|sm_90a/132sm/144gb|det|cold");
}

TEST(ResultKey, EveryPartChangesTheText) {
  const ResultKey key{"gemm1 m=1", "sm_90a/132sm/144gb", "det", "cold"};
  std::set<std::string> texts = {Text(key)};
  for (std::string ResultKey::*part : {&ResultKey::problem, &ResultKey::device_class,
                                       &ResultKey::contract, &ResultKey::objective}) {
    ResultKey other = key;
    (other.*part) += "x";
    EXPECT_TRUE(texts.insert(Text(other)).second) << Text(other);
    EXPECT_NE(other, key);
  }
}

}  // namespace
}  // namespace tw
