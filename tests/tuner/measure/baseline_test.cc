// The comparison with the library on the fake device: what is excluded, what wins, what is said.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/baseline.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge_fixture.h"
#include "problems.h"

namespace tw {
namespace {

using testing::HasSubstr;

const TypeSet kTypes{DType::kF32, DType::kF32, DType::kF32};

GemmProblem Small() {
  return Normalize(Product(16, 16, 16, kTypes)).value();
}

// Ours takes 10 us; the library as given.
std::string Library(const std::string& library) {
  return R"({"rules": [{"match": "*", "behaviour": "ok", "time_ns": 10000}], "library": )" +
         library + "}";
}

std::string Algorithms(const std::string& list) {
  return Library(R"({"version": "fakelt 3.1", "algorithms": [)" + list + "]}");
}

struct Compared {
  explicit Compared(const std::string& script,
                    const GemmProblem& problem = Small(),
                    const BaselineOptions& options = {})
      : job(problem, script),
        report(job.session.value()->CompareWithLibrary(JudgedJob::Candidate("ours"), options)) {}

  JudgedJob job;
  Result<BaselineReport> report;
};

TEST(Baseline, TheFastestIsFoundAndTheFirstIsKept) {
  const Compared compared(Algorithms(
      R"({"time_ns": 15000}, {"time_ns": 12000, "workspace": 4096}, {"time_ns": 20000})"));
  const BaselineReport& report = compared.report.value();
  EXPECT_EQ(report.library, "fakelt 3.1");
  EXPECT_EQ(report.unavailable, "");
  ASSERT_EQ(report.algorithms.size(), 3U);
  EXPECT_EQ(report.best, 1);
  EXPECT_EQ(report.first, 0);
  EXPECT_NEAR(report.over_best.ratio, 1.2, 0.01);
  EXPECT_NEAR(report.over_first.ratio, 1.5, 0.01);
  EXPECT_GE(report.over_best.pairs, 11);
  EXPECT_EQ(report.verdict, ComparisonVerdict::kFaster);
  EXPECT_NEAR(report.ours.median_ns, 10000, 20);
  EXPECT_GT(report.conditions.sm_clock_mhz, 0);
  for (const BaselineAlgorithm& algorithm : report.algorithms) {
    EXPECT_EQ(algorithm.kind, OutcomeKind::kMeasured);
    ASSERT_TRUE(algorithm.measurement.has_value());
    EXPECT_NEAR(algorithm.screened_ns, algorithm.measurement->median_ns, 20);
  }
  EXPECT_EQ(report.algorithms[1].workspace_bytes, 4096);
}

TEST(Baseline, AWrongAlgorithmDoesNotCountHoweverFast) {
  const Compared compared(Algorithms(
      R"({"time_ns": 1000, "behaviour": "wrong"}, {"time_ns": 12000}, {"time_ns": 1000, "behaviour": "nan"})"));
  const BaselineReport& report = compared.report.value();
  EXPECT_EQ(report.algorithms[0].kind, OutcomeKind::kWrongResult);
  EXPECT_EQ(report.algorithms[0].rule, "wrong_element");
  EXPECT_GT(report.algorithms[0].error_ratio, 1);
  EXPECT_THAT(report.algorithms[0].detail, HasSubstr("D[item 0, row 15, column 15]"));
  EXPECT_FALSE(report.algorithms[0].measurement.has_value());
  EXPECT_EQ(report.algorithms[2].rule, "nan");
  EXPECT_EQ(report.best, 1);
  EXPECT_EQ(report.first, -1) << "its first choice is wrong";
  EXPECT_EQ(report.over_first, RatioEstimate{});
  EXPECT_NEAR(report.over_best.ratio, 1.2, 0.01);
}

TEST(Baseline, EqualTimesAreATie) {
  const Compared compared(Algorithms(R"({"time_ns": 10000})"));
  EXPECT_EQ(compared.report->verdict, ComparisonVerdict::kTie);
  EXPECT_EQ(compared.report->over_best, compared.report->over_first);
}

TEST(Baseline, AFasterLibraryIsSaidToBe) {
  const Compared compared(Algorithms(R"({"time_ns": 9000})"));
  EXPECT_EQ(compared.report->verdict, ComparisonVerdict::kSlower);
}

TEST(Baseline, OnlyTheFastestAndTheFirstAreTimedInTurns) {
  BaselineOptions options;
  options.finalists = 2;
  const Compared compared(
      Algorithms(
          R"({"time_ns": 90000}, {"time_ns": 50000}, {"time_ns": 20000}, {"time_ns": 30000})"),
      Small(), options);
  const BaselineReport& report = compared.report.value();
  EXPECT_EQ(report.algorithms[0].kind, OutcomeKind::kMeasured);
  EXPECT_EQ(report.algorithms[1].kind, OutcomeKind::kSkipped);
  EXPECT_NEAR(report.algorithms[1].screened_ns, 50000, 100);
  EXPECT_FALSE(report.algorithms[1].measurement.has_value());
  EXPECT_EQ(report.algorithms[2].kind, OutcomeKind::kMeasured);
  EXPECT_EQ(report.best, 2);
  EXPECT_EQ(report.first, 0);
  EXPECT_NEAR(report.over_first.ratio, 9, 0.05);
}

TEST(Baseline, AnAlgorithmThatDoesNotLaunchIsExcluded) {
  const Compared compared(
      Algorithms(R"({"behaviour": "launch_error"}, {"time_ns": 12000, "workspace": 512})"));
  const BaselineReport& report = compared.report.value();
  EXPECT_EQ(report.algorithms[0].kind, OutcomeKind::kLaunchError);
  EXPECT_EQ(report.algorithms[0].rule, "launch_refused");
  EXPECT_THAT(report.algorithms[0].detail, HasSubstr("library algorithm 0 (fake 0)"));
  EXPECT_EQ(report.best, 1);
}

TEST(Baseline, NoRightAlgorithmLeavesNothingToCompare) {
  const Compared compared(Algorithms(R"({"behaviour": "wrong"})"));
  const BaselineReport& report = compared.report.value();
  EXPECT_THAT(report.unavailable, HasSubstr("none of its"));
  EXPECT_EQ(report.best, -1);
  EXPECT_EQ(report.verdict, ComparisonVerdict::kUndecided);
}

TEST(Baseline, AStickyErrorNamesTheAlgorithm) {
  const Compared compared(Algorithms(R"({"behaviour": "ok"}, {"behaviour": "sticky"})"));
  EXPECT_FALSE(compared.report.ok());
  EXPECT_THAT(compared.report.status().message(), HasSubstr("library algorithm 1 (fake 1)"));
  EXPECT_THAT(compared.report.status().message(), HasSubstr("CUDA error 700"));
}

TEST(Baseline, WhatIsMissingIsSaid) {
  const Compared absent(Library("\"absent\""));
  EXPECT_THAT(absent.report->unavailable, HasSubstr("absent"));
  EXPECT_TRUE(absent.report->algorithms.empty());
  const Compared silent(Algorithms(""));
  EXPECT_THAT(silent.report->unavailable, HasSubstr("suggests no algorithm"));
  BaselineOptions no_workspace;
  no_workspace.workspace_limit_bytes = 0;
  const Compared hungry(Algorithms(R"({"workspace": 1})"), Small(), no_workspace);
  EXPECT_THAT(hungry.report->unavailable, HasSubstr("suggests no algorithm"));
  GemmProblem row_bias = Product(16, 16, 16, kTypes);
  row_bias.epilogue.bias = BiasKind::kRow;
  const Compared unsupported(Algorithms("{}"), Normalize(row_bias).value());
  EXPECT_THAT(unsupported.report->unavailable, HasSubstr("bias per column only"));
}

TEST(Baseline, AWrongCandidateIsRefused) {
  const Compared compared(R"({"rules": [{"match": "*", "behaviour": "wrong"}]})");
  EXPECT_EQ(compared.report.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(compared.report.status().message(), HasSubstr("wrong_element"));
}

// Verdicts without times.
TEST(Baseline, JudgesEveryAlgorithm) {
  JudgedJob job(Small(), Algorithms(R"({"behaviour": "oob"}, {}, {"behaviour": "noop"})"));
  const BaselineReport report = job.session.value()->JudgeLibrary({}).value();
  ASSERT_EQ(report.algorithms.size(), 3U);
  EXPECT_EQ(report.algorithms[0].rule, "out_of_bounds_write");
  EXPECT_EQ(report.algorithms[1].kind, OutcomeKind::kSkipped);
  EXPECT_EQ(report.algorithms[1].rule, "");
  EXPECT_EQ(report.algorithms[2].rule, "unwritten");
  EXPECT_EQ(report.algorithms[1].screened_ns, 0);
  // What it judged left no trace.
  EXPECT_EQ(job.Run("ours").kind, OutcomeKind::kMeasured);
}

}  // namespace
}  // namespace tw
