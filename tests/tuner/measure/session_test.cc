// The whole judgement through the fake device: every fault is found under its name.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/session.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge_fixture.h"
#include "problems.h"

namespace tw {
namespace {

using testing::HasSubstr;

const TypeSet kBf16{DType::kBf16, DType::kBf16, DType::kF32};

GemmProblem Small() {
  return Normalize(Product(16, 24, 32, kBf16)).value();
}

GemmProblem Huge() {
  return Normalize(Product(4096, 4096, 4096, kBf16)).value();
}

class EveryType : public testing::TestWithParam<TypeSet> {};

TEST_P(EveryType, RightCandidatesPassInEveryLayout) {
  for (const GemmProblem& problem : VariantsOf(GetParam())) {
    JudgedJob job(problem, "");
    const BenchmarkOutcome outcome = job.Run("right");
    EXPECT_EQ(outcome.kind, OutcomeKind::kMeasured)
        << CanonicalText(problem) << " " << outcome.rule << ": " << outcome.detail;
    EXPECT_LE(outcome.error_ratio, 1.0);
    ASSERT_TRUE(outcome.measurement);
    EXPECT_GT(outcome.measurement->median_ns, 0);
  }
}

TEST_P(EveryType, FaultsAreFoundInEveryLayout) {
  struct Row {
    std::string behaviour;
    std::string rule;
  };

  const bool integer = Info(GetParam().d).integer;
  const std::vector<Row> rows{{"wrong", "wrong_element"},
                              {"nan", integer ? "wrong_element" : "nan"},
                              {"noop", "unwritten"},
                              {"oob", "out_of_bounds_write"},
                              {"nondeterministic", "nondeterministic"}};
  for (const GemmProblem& problem : VariantsOf(GetParam())) {
    for (const Row& row : rows) {
      JudgedJob job(problem, Always(row.behaviour));
      const BenchmarkOutcome outcome = job.Run("bad");
      EXPECT_EQ(outcome.kind, OutcomeKind::kWrongResult) << CanonicalText(problem);
      EXPECT_EQ(outcome.rule, row.rule) << CanonicalText(problem) << " " << outcome.detail;
      EXPECT_FALSE(outcome.detail.empty());
      EXPECT_FALSE(outcome.measurement);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EveryType, testing::ValuesIn(kTypeSets), [](const auto& param) {
  return NameOf(param.param);
});

TEST(JudgeSession, AWrongElementIsDescribed) {
  JudgedJob job(Small(), Always("wrong"));
  const BenchmarkOutcome outcome = job.Run("bad");
  EXPECT_THAT(outcome.detail, HasSubstr("D[item 0, row 15, column 23] = "));
  EXPECT_THAT(outcome.detail, HasSubstr("1 of 384 elements"));
  EXPECT_GT(outcome.error_ratio, 1.0);
}

TEST(JudgeSession, AWriteIntoTheGapBetweenLinesIsOutOfBounds) {
  GemmProblem problem = Product(16, 24, 32, kBf16);
  problem.d.ld = 25;
  problem.d.align_bytes = 2;
  JudgedJob job(Normalize(problem).value(), Always("oob"));
  EXPECT_EQ(job.Run("bad").rule, "out_of_bounds_write");
}

TEST(JudgeSession, DeterminismIsOptional) {
  BenchmarkJob options;
  options.check_determinism = false;
  // fp32 output: the other bits lie within the bound, and the activation leaves no exact trial.
  const TypeSet f32{DType::kF32, DType::kF32, DType::kF32};
  GemmProblem problem = Normalize(Product(8, 8, 64, f32)).value();
  problem.epilogue.activation = "gelu_erf";
  JudgedJob job(problem, Always("nondeterministic"), options);
  EXPECT_EQ(job.Run("loose").kind, OutcomeKind::kMeasured);
}

CandidateRun NeedsZeros(const std::string& entry) {
  CandidateRun run = JudgedJob::Candidate(entry);
  run.launch.workspace_zero_bytes = 64;
  return run;
}

TEST(JudgeSession, AWorkspaceThatMustBeZeroIsLeftZero) {
  JudgedJob job(Small(), R"({"rules": [{"match": "dirty", "behaviour": "dirty"}]})");
  const BenchmarkOutcome outcome = job.session.value()->Run(NeedsZeros("dirty")).value();
  EXPECT_EQ(outcome.kind, OutcomeKind::kWrongResult);
  EXPECT_EQ(outcome.rule, "workspace_not_restored");
  EXPECT_THAT(outcome.detail, HasSubstr("1 of the workspace's first 64 bytes are not zero after a "
                                        "run, first byte 0, normal operands"));
  EXPECT_EQ(job.session.value()->Run(NeedsZeros("clean")).value().kind, OutcomeKind::kMeasured);
  EXPECT_EQ(job.Run("dirty").kind, OutcomeKind::kMeasured);  // no promise, no fault
}

TEST(JudgeSession, MoreZerosThanWorkspaceAreRefused) {
  JudgedJob job(Small(), "");
  CandidateRun run = JudgedJob::Candidate("odd");
  run.launch.workspace_zero_bytes = 101;
  const BenchmarkOutcome outcome = job.session.value()->Run(run).value();
  EXPECT_EQ(outcome.kind, OutcomeKind::kLaunchError);
  EXPECT_EQ(outcome.rule, "load_refused");
  EXPECT_THAT(outcome.detail,
              HasSubstr("workspace_zero_bytes = 101: must be 0 to workspace_bytes, 100"));
}

TEST(JudgeSession, ABadTensorMapIsALaunchErrorThatNamesTheRule) {
  JudgedJob job(Small(), "");
  CandidateRun run = JudgedJob::Candidate("tma");
  TensorMapRecipe recipe;
  recipe.dims = {32, 16};
  recipe.strides = {64};
  recipe.box = {32, 16};
  run.launch.launches[0].tensor_maps = {recipe};
  EXPECT_EQ(job.session.value()->Run(run).value().kind, OutcomeKind::kMeasured);
  run.launch.launches[0].tensor_maps[0].box[0] = 4;
  const BenchmarkOutcome outcome = job.session.value()->Run(run).value();
  EXPECT_EQ(outcome.kind, OutcomeKind::kLaunchError);
  EXPECT_EQ(outcome.rule, "launch_refused");
  EXPECT_THAT(outcome.detail, HasSubstr("tensor map of a: box[0] in bytes = 8"));
}

TEST(JudgeSession, AFaultDoesNotSpoilTheNextCandidate) {
  JudgedJob job(Small(), R"({"rules": [{"match": "bad", "behaviour": "oob"}]})");
  EXPECT_EQ(job.Run("bad").kind, OutcomeKind::kWrongResult);
  EXPECT_EQ(job.Run("good").kind, OutcomeKind::kMeasured);
}

TEST(JudgeSession, ARefusedLaunchIsALaunchError) {
  JudgedJob job(Small(), Always("launch_error"));
  const BenchmarkOutcome outcome = job.Run("greedy");
  EXPECT_EQ(outcome.kind, OutcomeKind::kLaunchError);
  EXPECT_EQ(outcome.rule, "launch_refused");
  EXPECT_THAT(outcome.detail, HasSubstr("CUDA error 701"));
  EXPECT_EQ(job.device.sticky_error(), 0);
}

TEST(JudgeSession, AStickyErrorIsACrashAndMarksTheDevice) {
  JudgedJob job(Small(), Always("sticky"));
  const BenchmarkOutcome outcome = job.Run("bad");
  EXPECT_EQ(outcome.kind, OutcomeKind::kCrashed);
  EXPECT_EQ(outcome.rule, "sticky_cuda_error");
  EXPECT_THAT(outcome.detail, HasSubstr("CUDA error 700"));
  EXPECT_EQ(job.device.sticky_error(), 700);
}

TEST(JudgeSession, ABrokenPlanIsALaunchError) {
  JudgedJob job(Small(), "");
  EXPECT_EQ(job.session.value()->Run({}).value().kind, OutcomeKind::kLaunchError);
}

TEST(JudgeSession, AnImpossiblyShortTimeIsALaunchError) {
  for (const char* script : {R"({"time_ns": 0})", R"({"time_ns": 50000})"}) {
    JudgedJob job(Huge(), script);  // the device needs 116 us
    const BenchmarkOutcome outcome = job.Run("empty");
    EXPECT_EQ(outcome.kind, OutcomeKind::kLaunchError);
    EXPECT_EQ(outcome.rule, "impossible_time");
  }
}

TEST(JudgeSession, LargeProblemsAreJudgedVirtually) {
  JudgedJob job(Huge(), R"({"rules": [{"match": "bad", "behaviour": "wrong"},
                                      {"match": "stray", "behaviour": "oob"},
                                      {"match": "idle", "behaviour": "noop"},
                                      {"match": "racy", "behaviour": "nondeterministic"},
                                      {"match": "nan", "behaviour": "nan"}]})");
  EXPECT_EQ(job.Run("good").kind, OutcomeKind::kMeasured);
  EXPECT_EQ(job.Run("bad").rule, "wrong_element");
  EXPECT_EQ(job.Run("stray").rule, "out_of_bounds_write");
  EXPECT_EQ(job.Run("idle").rule, "unwritten");
  EXPECT_EQ(job.Run("racy").rule, "nondeterministic");
  EXPECT_EQ(job.Run("nan").rule, "nan");
  EXPECT_EQ(job.Run("good").kind, OutcomeKind::kMeasured);
}

TEST(JudgeSession, TooLargeIsResourceExhaustedWithNumbers) {
  JudgedJob job(Normalize(Product(200000, 200000, 8, kBf16)).value(), "");
  ASSERT_FALSE(job.session.ok());
  EXPECT_EQ(job.session.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(job.session.status().message(), HasSubstr("bytes of device memory"));
}

TEST(JudgeSession, AnEmptyProblemHasNothingToMeasure) {
  JudgedJob job(Normalize(Product(0, 8, 8, kBf16)).value(), "");
  EXPECT_EQ(job.session.status().code(), StatusCode::kInvalidArgument);
}

TEST(JudgeSession, WithoutProductsDIsTheEpilogueOfC) {
  GemmProblem problem = Product(5, 7, 0, kBf16);
  problem.beta = ScalarKind::kOne;
  problem.epilogue.bias = BiasKind::kCol;
  JudgedJob job(Normalize(problem).value(), "");
  EXPECT_EQ(job.Run("right").kind, OutcomeKind::kMeasured);
}

TEST(JudgeSession, InterleavedOutcomesComeInOrder) {
  JudgedJob job(Small(), R"({"rules": [{"match": "fast", "behaviour": "ok", "time_ns": 4000},
                                       {"match": "slow", "behaviour": "ok", "time_ns": 9000}]})");
  const std::vector<CandidateRun> runs{
      JudgedJob::Candidate("slow"), {}, JudgedJob::Candidate("fast")};
  const auto outcomes = job.session.value()->RunInterleaved(runs, 9).value();
  ASSERT_EQ(outcomes.size(), 3U);
  EXPECT_NEAR(outcomes[0].measurement->median_ns, 9000, 10);
  EXPECT_EQ(outcomes[0].measurement->samples_ns.size(), 9U);
  EXPECT_EQ(outcomes[1].kind, OutcomeKind::kLaunchError);
  EXPECT_NEAR(outcomes[2].measurement->median_ns, 4000, 10);
}

TEST(JudgeSession, AStickyErrorAmongInterleavedSkipsTheOthers) {
  JudgedJob job(Small(), R"({"rules": [{"match": "bad", "behaviour": "sticky"}]})");
  const std::vector<CandidateRun> runs{JudgedJob::Candidate("good"), JudgedJob::Candidate("bad")};
  const auto outcomes = job.session.value()->RunInterleaved(runs, 3).value();
  EXPECT_EQ(outcomes[0].kind, OutcomeKind::kSkipped);
  EXPECT_EQ(outcomes[1].kind, OutcomeKind::kCrashed);
}

}  // namespace
}  // namespace tw
