// The main job through the real binaries over a simulated GPU.
// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/fixture.h"

namespace tw::integration {
namespace {

using TuneTest = IntegrationTest;

const Words kFew = {"--max-candidates", "4", "--family", "simt", "--budget", "10m"};

TEST_F(TuneTest, EndsMeasuredAndIsThenAnsweredFromTheStore) {
  UseFakeGpu("");
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  const Json first = RunJson(Words{"tune"} + kSmall + kFew);
  EXPECT_EQ(first["schema"], "tilewright.tune.v1");
  EXPECT_EQ(first["state"], "MEASURED");
  EXPECT_EQ(first["from_store"], false);
  EXPECT_GT(first["time_ns"], 0);
  EXPECT_LE(first["ci_ns"][0], first["time_ns"]);
  EXPECT_GE(first["ci_ns"][1], first["time_ns"]);
  EXPECT_LE(first["error_ratio"], 1);
  EXPECT_EQ(first["funnel"]["measured"], 4);
  EXPECT_GT(first["phases"]["compiled"], 0);
  EXPECT_GT(first["phases"]["compile_cpu_s_per_kernel"], 0);
  EXPECT_GT(first["phases"]["verify_s"], 0);
  EXPECT_EQ(first["device"]["uuid"], "GPU-fake-0000");

  const Json second = RunJson(Words{"tune"} + kSmall);
  EXPECT_EQ(second["from_store"], true);
  EXPECT_LT(second["daemon_ms"], 50);
  for (const char* member : {"state", "candidate_id", "config", "time_ns", "source_digest"}) {
    EXPECT_EQ(second[member], first[member]) << member;
  }

  const Json found = RunJson(Words{"lookup"} + kSmall);
  EXPECT_EQ(found["found"], true);
  EXPECT_EQ(found["candidate_id"], first["candidate_id"]);
  EXPECT_EQ(found["key"]["text"], first["key"]["text"]);
}

TEST_F(TuneTest, ExplainTellsOfEveryCandidateOfTheRun) {
  UseFakeGpu(R"({"rules": [{"match": "simt", "behaviour": "wrong", "count": 1}]})");
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  EXPECT_EQ(RunJson(Words{"explain"} + kSmall, 3)["code"], "NOT_FOUND");
  const Json tuned = RunJson(Words{"tune"} + kSmall + kFew);
  const Json why = RunJson(Words{"explain"} + kSmall);
  EXPECT_EQ(why["schema"], "tilewright.explain.v1");
  EXPECT_EQ(why["candidate_id"], tuned["candidate_id"]);
  EXPECT_EQ(why["funnel"], tuned["funnel"]);
  EXPECT_EQ(why["device"]["reference"], false);
  ASSERT_EQ(why["candidates"].size(), 4U);
  EXPECT_EQ(why["comparison"]["winner_id"], tuned["candidate_id"]);
  EXPECT_EQ(why["comparison"]["measured"], true);
  const Json& wrong = why["candidates"][3];
  EXPECT_EQ(wrong["outcome"], "wrong_result");
  EXPECT_EQ(wrong["measured"], nullptr);
  EXPECT_EQ(why["candidates"][0]["facts"]["registers_compiled"], true);

  const std::string id = tuned["candidate_id"];
  const Json one = RunJson(Words{"explain", "--candidate", id} + kSmall);
  ASSERT_EQ(one["candidates"].size(), 1U);
  const Json& measured = one["candidates"][0]["measured"];
  EXPECT_EQ(measured["time_ns"], tuned["time_ns"]);
  EXPECT_EQ(measured["samples_ns"].size(), measured["samples"]);
  EXPECT_EQ(RunJson(Words{"explain", "--candidate", "0a"} + kSmall, 3)["exit"], 3);
}

TEST_F(TuneTest, RetuneTunesAgain) {
  UseFakeGpu("");
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  const Json first = RunJson(Words{"tune"} + kSmall + kFew);
  const Json again = RunJson(Words{"tune", "--retune"} + kSmall + kFew);
  EXPECT_EQ(again["from_store"], false);
  EXPECT_NE(again["operation"], first["operation"]);
  EXPECT_EQ(again["state"], "MEASURED");
}

TEST_F(TuneTest, LookupMissesWhatWasNotTuned) {
  UseFakeGpu("");
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  RunJson(Words{"tune"} + kSmall + kFew);
  for (const Words& other :
       std::vector<Words>{{"-m", "49", "-n", "40", "-k", "32"},
                          {"-m", "48", "-n", "40", "-k", "32", "--lda", "65"},
                          {"-m", "48", "-n", "40", "-k", "32", "--act", "relu"},
                          {"-m", "48", "-n", "40", "-k", "32", "--beta", "1"}}) {
    const Words command = Words{"lookup", "--dtype", "f32"} + other;
    const Json miss = RunJson(command, 3);
    EXPECT_EQ(miss["found"], false) << testing::PrintToString(other);
    const Finished text = Run(command);
    EXPECT_EQ(text.exit_code, 3);
    EXPECT_EQ(text.out, "");
    EXPECT_NE(text.err.find("tilewright tune finds one"), std::string::npos) << text.err;
  }
}

TEST_F(TuneTest, SourceIsTheWinnersKernel) {
  UseFakeGpu("");
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  EXPECT_EQ(Run(Words{"source"} + kSmall).exit_code, 3);
  const Json tuned = RunJson(Words{"tune"} + kSmall + kFew);
  const std::string entry = tuned["launches"][0]["entry"];
  const Finished printed = Run(Words{"source"} + kSmall);
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_NE(printed.out.find("__global__"), std::string::npos);
  EXPECT_NE(printed.out.find(entry), std::string::npos);
  const std::string file = dir_ / "winner.cu";
  EXPECT_EQ(Run(Words{"source", "-o", file} + kSmall).exit_code, 0);
  EXPECT_EQ(ReadFile(file), printed.out);
}

TEST_F(TuneTest, TextNamesTheEssentials) {
  UseFakeGpu("");
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  const Finished tuned = Run(Words{"tune"} + kSmall + kFew);
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  for (const char* word : {"48 x 40 x 32 f32 nn", "MEASURED", "kernel", "95 %", "TFLOP/s", "funnel",
                           "conditions", "phases", "stored as"}) {
    EXPECT_NE(tuned.out.find(word), std::string::npos) << word << "\n" << tuned.out;
  }
  EXPECT_EQ(Run(Words{"tune", "--quiet", "--retune"} + kSmall + kFew).err, "");
}

TEST_F(TuneTest, WithoutAGpuTheAnswerIsPredicted) {
  UseNoGpu();
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  const Words tune = Words{"tune", "--max-candidates", "3", "--budget", "10m"} + kSmall;
  const Json predicted = RunJson(tune);
  EXPECT_EQ(predicted["state"], "PREDICTED");
  EXPECT_TRUE(predicted["ci_ns"].is_null());
  EXPECT_TRUE(predicted["error_ratio"].is_null());
  EXPECT_EQ(predicted["funnel"]["compiled"], 3);
  EXPECT_NE(Run(tune).out.find("PREDICTED (not measured)"), std::string::npos);
  EXPECT_EQ(Run(tune + Words{"--require-measured"}).exit_code, 4);
  EXPECT_EQ(RunJson(Words{"lookup"} + kSmall)["state"], "PREDICTED");
  EXPECT_EQ(Run(Words{"lookup", "--require-measured"} + kSmall).exit_code, 3);
}

TEST_F(TuneTest, EmptyProblemsHaveNothingToLaunch) {
  UseNoGpu();
  for (const Words& sizes : std::vector<Words>{{"-m", "0", "-n", "4", "-k", "4"},
                                               {"-m", "4", "-n", "0", "-k", "4"},
                                               {"-m", "4", "-n", "4", "-k", "4", "--batch", "0"}}) {
    EXPECT_EQ(RunJson(Words{"tune"} + sizes)["state"], "EMPTY") << testing::PrintToString(sizes);
  }
}

TEST_F(TuneTest, SixteenAtOnceShareOneDaemonAndOneJob) {
  UseFakeGpu("");
  std::vector<Process> commands;
  for (int i = 0; i < 16; ++i) {
    commands.push_back(Start(Words{"tune", "--json"} + kSmall + kFew));
  }
  std::vector<Finished> answers;
  for (Process& command : commands) {
    const auto answer = command.Wait(std::chrono::seconds(240));
    ASSERT_TRUE(answer.has_value());
    answers.push_back(*answer);
  }
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  std::set<std::string> winners;
  for (const Finished& answer : answers) {
    ASSERT_EQ(answer.exit_code, 0) << answer.err;
    const Json json = Json::parse(answer.out);
    winners.insert(json["candidate_id"].dump() + json["time_ns"].dump() + json["state"].dump() +
                   json["created_micros"].dump());
  }
  EXPECT_EQ(winners.size(), 1U) << testing::PrintToString(winners);
  EXPECT_FALSE(DaemonWasRestarted());
  int tuned = 0;
  const Json jobs = RunJson({"jobs"});
  for (const Json& job : jobs["jobs"]) {
    tuned += job["attempts"].get<int>();
  }
  EXPECT_EQ(tuned, 1);
}

}  // namespace
}  // namespace tw::integration
