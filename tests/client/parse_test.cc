// SPDX-License-Identifier: Apache-2.0
#include "client/cli/parse.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace tw::cli {
namespace {

TEST(Parse, Int64TakesTheWholeRange) {
  EXPECT_EQ(*ParseInt64("m", "0"), 0);
  EXPECT_EQ(*ParseInt64("m", "-1"), -1);  // the range is the daemon's to judge
  EXPECT_EQ(*ParseInt64("m", "9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(*ParseInt64("m", "-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
}

TEST(Parse, Int64ErrorsNameFieldValueAndRule) {
  EXPECT_EQ(ParseInt64("lda", "abc").status().message(), "lda = abc: must be a whole number");
  EXPECT_EQ(ParseInt64("m", "9223372036854775808").status().message(),
            "m = 9223372036854775808: must fit a signed 64-bit integer");
  EXPECT_EQ(ParseInt64("m", "1").status().code(), StatusCode::kOk);
}

TEST(Parse, Int64RefusesWhatIsNoPlainNumber) {
  for (const char* text :
       {"", " 1", "1 ", "+1", "1.0", "1e3", "0x10", "1,000", "12a", "-", "--1"}) {
    const auto result = ParseInt64("k", text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(Parse, Uint64RefusesNegativeAndTooLarge) {
  EXPECT_EQ(*ParseUint64("seed", "18446744073709551615"),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(ParseUint64("seed", "18446744073709551616").ok());
  EXPECT_FALSE(ParseUint64("seed", "-1").ok());
}

TEST(Parse, CountIsAtLeastOneAndFits32Bits) {
  EXPECT_EQ(*ParseCount("max_candidates", "1"), 1);
  EXPECT_EQ(*ParseCount("max_candidates", "2147483647"), 2147483647);
  for (const char* text : {"0", "-1", "2147483648", "x"}) {
    EXPECT_FALSE(ParseCount("max_candidates", text).ok()) << text;
  }
}

TEST(Parse, NumberIsFinite) {
  EXPECT_DOUBLE_EQ(*ParseNumber("alpha", "-2.5e-3"), -2.5e-3);
  for (const char* text : {"", "nan", "inf", "1e999", "1x", "0,5"}) {
    EXPECT_FALSE(ParseNumber("alpha", text).ok()) << text;
  }
}

TEST(Parse, SecondsKnowTheirUnits) {
  EXPECT_DOUBLE_EQ(*ParseSeconds("budget", "30s"), 30);
  EXPECT_DOUBLE_EQ(*ParseSeconds("budget", "30"), 30);
  EXPECT_DOUBLE_EQ(*ParseSeconds("budget", "500ms"), 0.5);
  EXPECT_DOUBLE_EQ(*ParseSeconds("budget", "1.5m"), 90);
  for (const char* text : {"", "s", "0s", "-1s", "3h", "10 s", "1e999s"}) {
    const auto result = ParseSeconds("budget", text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.status().message(), "budget = " + std::string(text) +
                                             ": must be a time above 0 such as 30s, 500ms or 2m");
  }
}

}  // namespace
}  // namespace tw::cli
