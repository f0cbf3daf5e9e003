// SPDX-License-Identifier: Apache-2.0
#include "client/cli/bench.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "client/cli/bench_csv.h"
#include "client/cli/bench_json.h"
#include "client/cli/bench_text.h"
#include "tests/client/golden.h"
#include "tests/client/samples.h"

namespace tw::cli {
namespace {

BenchRow Row(const std::string& name) {
  BenchRow row;
  row.shape = {.name = name, .line = 2, .key = SampleKey()};
  row.operation = SampleTune();
  return row;
}

BenchRow Compared(const std::string& name, double over_best, const std::string& verdict) {
  BenchRow row = Row(name);
  v1::BaselineReport& report = *row.operation.mutable_result()->mutable_baseline();
  report = SampleBaseline();
  report.mutable_over_best()->set_ratio(over_best);
  report.set_verdict(verdict);
  return row;
}

BenchRow Failed(const std::string& name) {
  BenchRow row = Row(name);
  row.status = {StatusCode::kNotFound, "no candidate survived: wrong_result 3"};
  row.code = ExitCode::kNoCandidate;
  row.operation.Clear();
  return row;
}

BenchRow Unavailable(const std::string& name) {
  BenchRow row = Row(name);
  v1::BaselineReport& report = *row.operation.mutable_result()->mutable_baseline();
  report.set_library("cublaslt 13.0.2");
  report.set_unavailable("the heuristics know no algorithm for s8 nn");
  return row;
}

Bench SampleBench() {
  Bench bench{
      .compares = true, .planned = 5, .rows = {}, .interrupted = false, .unfinished_job = ""};
  bench.rows = {Compared("slow", 0.63, "slower"), Failed("bad"), Unavailable("alone"),
                Compared("fast", 1.25, "faster")};
  bench.rows.push_back(Row("empty"));
  bench.rows.back().operation.mutable_result()->Clear();
  bench.rows.back().operation.mutable_result()->set_empty_problem(true);
  return bench;
}

TEST(Bench, SummaryCountsAndAveragesGeometrically) {
  Bench bench{
      .compares = true, .planned = 9, .rows = {}, .interrupted = false, .unfinished_job = ""};
  bench.rows = {Compared("a", 0.5, "slower"),
                Compared("b", 2, "faster"),
                Compared("c", 1, "tie"),
                Compared("d", 8, "undecided"),
                Failed("e"),
                Unavailable("f")};
  const BenchSummary summary = Summarize(bench);
  EXPECT_EQ(summary.rows, 6);
  EXPECT_EQ(summary.failed, 1);
  EXPECT_EQ(summary.compared, 4);
  EXPECT_NEAR(summary.mean_over_best.value_or(0), 1.68179283, 1e-8);  // (0.5 * 2 * 1 * 8) ^ (1/4)
  EXPECT_NEAR(summary.mean_over_first.value_or(0), 0.66, 1e-12);
  EXPECT_EQ(summary.faster, 1);
  EXPECT_EQ(summary.tie, 1);
  EXPECT_EQ(summary.slower, 1);
  EXPECT_EQ(summary.undecided, 1);
  EXPECT_EQ(summary.no_baseline, 1);
}

TEST(Bench, SummaryOfTheTimeIsOverWhatWasTuned) {
  Bench bench{
      .compares = false, .planned = 4, .rows = {}, .interrupted = false, .unfinished_job = ""};
  bench.rows = {Row("a"), Row("b"), Failed("c"), Row("stored"), Row("predicted")};
  const auto set = [&](std::size_t row, double total_s, double verify_s, double measure_s) {
    v1::PhaseTimes& phases = *bench.rows[row].operation.mutable_result()->mutable_phases();
    phases.set_total_s(total_s);
    phases.set_verify_s(verify_s);
    phases.set_measure_s(measure_s);
  };
  set(0, 4, 1, 2);
  set(1, 8, 1, 3);
  set(3, 100, 1, 1);
  bench.rows[3].operation.set_from_store(true);
  set(4, 9, 0, 0);
  bench.rows[4].operation.mutable_result()->set_state(v1::RESULT_STATE_PREDICTED);
  const BenchSummary summary = Summarize(bench);
  EXPECT_EQ(summary.tuned, 3);
  EXPECT_EQ(summary.tune_s, 21);
  EXPECT_EQ(summary.median_tune_s, 8);
  EXPECT_NEAR(summary.gpu_idle_share.value_or(-1), (1.0 + 4.0) / 12, 1e-12);
  bench.rows.pop_back();
  EXPECT_EQ(Summarize(bench).median_tune_s, 6);
  bench.rows = {Failed("c")};
  EXPECT_FALSE(Summarize(bench).gpu_idle_share);
  EXPECT_EQ(BenchText(bench).find("tuning"), std::string::npos);
}

TEST(Bench, WithoutUndisturbedRoundsARowIsUndecidedAndInNoMean) {
  Bench bench{
      .compares = true, .planned = 1, .rows = {}, .interrupted = false, .unfinished_job = ""};
  bench.rows = {Compared("a", 0, "undecided")};
  bench.rows[0].operation.mutable_result()->mutable_baseline()->mutable_over_best()->Clear();
  const BenchSummary summary = Summarize(bench);
  EXPECT_EQ(summary.undecided, 1);
  EXPECT_EQ(summary.no_baseline, 0);
  EXPECT_EQ(summary.compared, 0);
  EXPECT_FALSE(summary.mean_over_best);
}

TEST(Bench, AComparisonThatNobodyAskedForIsNotCounted) {
  Bench bench{
      .compares = false, .planned = 1, .rows = {}, .interrupted = false, .unfinished_job = ""};
  bench.rows = {Compared("a", 0.5, "slower")};
  EXPECT_EQ(Summarize(bench).slower, 0);
  EXPECT_EQ(BenchText(bench).find("VERDICT"), std::string::npos);
}

TEST(Bench, EndsLikeItsFirstFailedRow) {
  Bench bench = SampleBench();
  EXPECT_EQ(ExitOf(bench), ExitCode::kNoCandidate);
  bench.rows.erase(bench.rows.begin() + 1);
  EXPECT_EQ(ExitOf(bench), ExitCode::kOk);
  bench.interrupted = true;
  EXPECT_EQ(ExitOf(bench), ExitCode::kInterrupted);
}

TEST(Bench, Table) {
  ExpectGolden("bench.txt", BenchText(SampleBench()));
}

TEST(Bench, Json) {
  ExpectGolden("bench.json", BenchJson(SampleBench()));
}

TEST(Bench, Csv) {
  std::string text = CsvHeader();
  for (const BenchRow& row : SampleBench().rows) {
    text += CsvLine(row);
  }
  ExpectGolden("bench.csv", text);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
}

TEST(Bench, CsvQuotesQuotationMarks) {
  BenchRow row = Failed("a");
  row.status = {StatusCode::kInternal, "said \"no\", then\nleft"};
  EXPECT_TRUE(CsvLine(row).ends_with(",\"said \"\"no\"\", then\nleft\"\n")) << CsvLine(row);
}

TEST(Bench, ARowInOneLine) {
  EXPECT_EQ(RowText(Row("a")), "568.4 us, 649.8 TFLOP/s");
  EXPECT_EQ(RowText(Failed("a")), "failed: no candidate survived: wrong_result 3");
  EXPECT_EQ(
      RowText(Compared("a", 1.25, "faster")),
      "568.4 us, 649.8 TFLOP/s; against cublaslt 13.0.2: 1.250 of its best (0.626 to 0.634, 15 "
      "pairs): faster; 0.660 of its first choice");
  EXPECT_EQ(RowText(Unavailable("a")),
            "568.4 us, 649.8 TFLOP/s; against nothing: the heuristics know no algorithm for s8 nn");
}

}  // namespace
}  // namespace tw::cli
