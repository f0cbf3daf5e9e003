// SPDX-License-Identifier: Apache-2.0
#include "client/cli/baseline.h"

#include <string>

#include <gtest/gtest.h>

#include "client/cli/baseline_text.h"
#include "client/cli/render.h"
#include "client/cli/render_json.h"
#include "tests/client/golden.h"
#include "tests/client/samples.h"

namespace tw::cli {
namespace {

v1::Operation ComparedTune() {
  v1::Operation operation = SampleTune();
  *operation.mutable_result()->mutable_baseline() = SampleBaseline();
  return operation;
}

TEST(Baseline, StandsInTheAnswersOfTuneAndLookup) {
  ExpectGolden("tune_baseline.txt", TuneText(SampleKey(), ComparedTune()));
  ExpectGolden("tune_baseline.json", TuneJson(SampleKey(), ComparedTune()));
  const std::string lines = BaselineText(SampleBaseline());
  EXPECT_NE(LookupText(SampleKey(), ComparedTune().result()).find(lines), std::string::npos);
}

TEST(Baseline, VerdictInOneLine) {
  EXPECT_EQ(VerdictText(SampleBaseline()),
            "0.630 of its best (0.626 to 0.634, 15 pairs): slower; 0.660 of its first choice");
}

TEST(Baseline, AWrongFirstChoiceIsNoYardstick) {
  v1::BaselineReport report = SampleBaseline();
  report.set_first(-1);
  EXPECT_EQ(FirstOf(report), nullptr);
  EXPECT_EQ(OverFirst(report), nullptr);
  EXPECT_EQ(VerdictText(report), "0.630 of its best (0.626 to 0.634, 15 pairs): slower");
}

TEST(Baseline, NothingToCompareWithSaysWhy) {
  v1::BaselineReport report;
  report.set_unavailable("libcublasLt.so.13 not found");  // best and first are 0: no such place
  EXPECT_EQ(BaselineText(report), "  against     nothing: libcublasLt.so.13 not found\n");
  report.clear_unavailable();
  report.set_library("cublaslt 13.0.2");
  EXPECT_EQ(BaselineText(report), "  against     nothing: cublaslt 13.0.2 offers no algorithm\n");
}

TEST(Baseline, ALibraryThatIsAlwaysWrongIsNoBaseline) {
  v1::BaselineReport report = SampleBaseline();
  report.mutable_algorithms()->DeleteSubrange(2, 2);
  report.mutable_algorithms()->DeleteSubrange(0, 1);
  report.set_best(-1);
  report.set_first(-1);
  report.clear_ours_ns();
  EXPECT_EQ(BaselineText(report),
            "  against     nothing: none of cublaslt 13.0.2's 1 algorithms is right\n"
            "  excluded    #1 id 66 tile 21 stages 36: wrong_element: D[0][2046] is 3, should be "
            "2047\n");
}

TEST(Baseline, NoUndisturbedRoundIsNoRatio) {
  v1::BaselineReport report = SampleBaseline();
  report.clear_over_best();
  EXPECT_EQ(OverBest(report), nullptr);
  EXPECT_EQ(NoVerdictText(report), "no round with cublaslt 13.0.2 was undisturbed");
}

TEST(Baseline, PlacesOutsideTheListAreNone) {
  v1::BaselineReport report = SampleBaseline();
  report.set_best(4);
  report.set_first(-7);
  EXPECT_EQ(BestOf(report), nullptr);
  EXPECT_EQ(FirstOf(report), nullptr);
}

TEST(Baseline, OnlyFailuresAreExcluded) {
  v1::BaselineAlgorithm algorithm;
  for (const std::string outcome : {"measured", "skipped"}) {
    algorithm.set_outcome(outcome);
    EXPECT_FALSE(Excluded(algorithm)) << outcome;
  }
  for (const std::string outcome : {"wrong_result", "launch_error"}) {
    algorithm.set_outcome(outcome);
    EXPECT_TRUE(Excluded(algorithm)) << outcome;
  }
  EXPECT_EQ(ExcludedText(algorithm), "#0 : launch_error");
}

}  // namespace
}  // namespace tw::cli
