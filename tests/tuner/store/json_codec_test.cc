// SPDX-License-Identifier: Apache-2.0
#include "tuner/store/json_codec.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tuner/store/compare.h"
#include "tests/tuner/store/samples.h"

namespace tw {
namespace {

TEST(JsonCodec, RoundTripsEveryField) {
  ExpectSame(*DecodeTuneResult(EncodeTuneResult(SampleResult())), SampleResult());
  ExpectSame(*DecodeReport(EncodeReport(SampleReport())), SampleReport());
  ExpectSame(*DecodeTuneResult(EncodeTuneResult(TuneResult())), TuneResult());
}

// Random bit patterns: denormals, huge and tiny values, both signs.
TEST(JsonCodec, RoundTripsDoublesExactly) {
  std::mt19937_64 engine(1);
  CandidateReport report = SampleReport();
  std::vector<double>& values = report.measurement->samples_ns;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(std::bit_cast<double>(engine()));
  }
  const Result<CandidateReport> back = DecodeReport(EncodeReport(report));
  ASSERT_TRUE(back.ok());
  ASSERT_EQ(back->measurement->samples_ns.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = back->measurement->samples_ns[i];
    ASSERT_EQ(std::isnan(value), std::isnan(values[i]));
    if (!std::isnan(value)) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(values[i]));
    }
  }
}

TEST(JsonCodec, RoundTripsNanAndInfinities) {
  CandidateReport report = SampleReport();
  report.error_ratio = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(DecodeReport(EncodeReport(report))->error_ratio));
  report.error_ratio = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(DecodeReport(EncodeReport(report))->error_ratio, report.error_ratio);
}

TEST(JsonCodec, SurvivesBytesThatAreNotUtf8) {
  CandidateReport report = SampleReport();
  report.detail = "bad \xff byte";
  EXPECT_EQ(DecodeReport(EncodeReport(report))->detail, "bad \xef\xbf\xbd byte");
}

TEST(JsonCodec, RefusesWhatItCannotRead) {
  for (const char* text : {"", "{", "[]", "null", "{}", "{\"key\": 3}"}) {
    EXPECT_EQ(DecodeTuneResult(text).status().code(), StatusCode::kDataLoss) << text;
    EXPECT_EQ(DecodeReport(text).status().code(), StatusCode::kDataLoss) << text;
  }
  std::string unknown = EncodeReport(SampleReport());
  unknown.replace(unknown.find("\"measured\""), 10, "\"mystery\"");
  EXPECT_EQ(DecodeReport(unknown).status().code(), StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tw
