// Bad candidates, dead workers, dead daemons, impatient users.
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/fixture.h"

namespace tw::integration {
namespace {

using FaultTest = IntegrationTest;

// The budget is for a busy machine; six candidates end long before it.
const Words kTune =
    Words{"tune", "--max-candidates", "6", "--family", "simt", "--budget", "10m"} + kSmall;

// Three candidates run; the fourth waits until Release, so that a job surely still goes on when
// something is done to it, on a machine however slow.
class HeldTest : public FaultTest {
 protected:
  void Hold() {
    std::ofstream(held_by_).put('\n');
    UseFakeGpu(R"({"rules": [{"match": "*", "behaviour": "ok", "count": 3},
                             {"match": "*", "behaviour": "held:)" +
               held_by_ + R"("}]})");
  }

  void Release() { std::filesystem::remove(held_by_); }

 private:
  std::string held_by_ = dir_ / "held";
};

int Counter(const Json& result, const std::string& stage) {
  return result["funnel"].value(stage, 0);
}

TEST_F(FaultTest, WrongKernelsAreCountedAndNeverWin) {
  UseFakeGpu(R"({"rules": [
      {"match": "*", "behaviour": "wrong", "count": 1},
      {"match": "*", "behaviour": "nan", "count": 1},
      {"match": "*", "behaviour": "noop", "count": 1},
      {"match": "*", "behaviour": "oob", "count": 1}]})");
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  const Json result = RunJson(kTune);
  EXPECT_EQ(result["state"], "MEASURED");
  EXPECT_EQ(Counter(result, "wrong_result"), 4) << result["funnel"];
  EXPECT_EQ(Counter(result, "measured"), 2) << result["funnel"];
  // Beside the store, one folder each.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_.path() / "repro"), {}), 4);
}

TEST_F(FaultTest, NoSurvivorIsAFailureWithTheReasons) {
  UseFakeGpu(R"({"rules": [{"match": "*", "behaviour": "wrong"}]})");
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  const Finished failed = Run(kTune);
  EXPECT_EQ(failed.exit_code, 6) << failed.err;
  EXPECT_NE(failed.err.find("wrong_result"), std::string::npos) << failed.err;
  EXPECT_EQ(Run(Words{"lookup"} + kSmall).exit_code, 3);
}

// The candidate that wins when all are right takes its worker down instead.
TEST_F(FaultTest, KernelsThatHangOrCrashCostThemselvesOnly) {
  UseFakeGpu("");
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  const std::string favourite = RunJson(kTune)["launches"][0]["entry"];

  const struct {
    std::string behaviour;
    std::string counter;
  } rows[] = {{"hang", "timed_out"}, {"crash", "crashed"}, {"sticky", "crashed"}};

  for (const auto& row : rows) {
    UseNewStore();
    UseFakeGpu(R"({"rules": [{"match": ")" + favourite + R"(", "behaviour": ")" + row.behaviour +
               R"("}]})");
    const Json result = RunJson(kTune);
    EXPECT_EQ(result["state"], "MEASURED") << row.behaviour;
    EXPECT_NE(result["launches"][0]["entry"], favourite) << row.behaviour;
    EXPECT_EQ(Counter(result, row.counter), 1) << row.behaviour << result["funnel"];
    EXPECT_EQ(Counter(result, "measured"), 5) << row.behaviour << result["funnel"];
  }
}

TEST_F(HeldTest, AKilledDaemonComesBackAndMeasuresNothingTwice) {
  Hold();
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  Process tune = Start(kTune + Words{"--json"});
  int measured = 0;
  ASSERT_TRUE(AwaitJob([&](const Json& job) {
    measured = job["progress"]["measured"].get<int>();
    return measured >= 2;
  }));
  const pid_t daemon = DaemonPid();
  ASSERT_GT(daemon, 0);
  ::kill(daemon, SIGKILL);
  Release();
  const auto finished = tune.Wait(std::chrono::seconds(240));
  ASSERT_TRUE(finished.has_value());
  ASSERT_EQ(finished->exit_code, 0) << finished->err;
  const Json result = Json::parse(finished->out);
  EXPECT_EQ(result["state"], "MEASURED");
  EXPECT_EQ(result["attempts"], 2);
  EXPECT_GE(Counter(result, "reused"), measured) << result["funnel"];
  EXPECT_EQ(Counter(result, "measured"), 6) << result["funnel"];
  EXPECT_EQ(RunJson({"status"})["reports"], 6);
  EXPECT_NE(DaemonPid(), daemon);
  EXPECT_EQ(RunJson(kTune)["from_store"], true);
}

TEST_F(HeldTest, AKilledGpuWorkerIsReplaced) {
  Hold();
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  Process tune = Start(kTune + Words{"--json"});
  ASSERT_TRUE(
      AwaitJob([](const Json& job) { return job["progress"]["measured"].get<int>() >= 1; }));
  const pid_t daemon = DaemonPid();
  const std::vector<pid_t> workers = ChildrenOf(daemon, "--role=gpu");
  ASSERT_FALSE(workers.empty());
  for (const pid_t worker : workers) {
    ::kill(worker, SIGKILL);
  }
  Release();
  const auto finished = tune.Wait(std::chrono::seconds(240));
  ASSERT_TRUE(finished.has_value());
  ASSERT_EQ(finished->exit_code, 0) << finished->err;
  const Json result = Json::parse(finished->out);
  EXPECT_EQ(result["state"], "MEASURED");
  EXPECT_GE(Counter(result, "measured"), 5) << result["funnel"];
  EXPECT_EQ(DaemonPid(), daemon);
}

TEST_F(HeldTest, CtrlCLeavesTheJobAndTheNextCommandAttaches) {
  Hold();
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  Process tune = Start(kTune);
  std::string name;
  ASSERT_TRUE(AwaitJob([&](const Json& job) {
    name = job["name"];
    return job["progress"]["measured"].get<int>() >= 1;
  }));
  tune.Signal(SIGINT);
  const auto interrupted = tune.Wait(std::chrono::seconds(10));
  ASSERT_TRUE(interrupted.has_value());
  EXPECT_EQ(interrupted->exit_code, 130);
  EXPECT_NE(interrupted->err.find(name + " goes on"), std::string::npos) << interrupted->err;
  EXPECT_EQ(interrupted->out, "");
  Release();
  const Json result = RunJson(kTune);
  EXPECT_EQ(result["state"], "MEASURED");
  int attempts = 0;
  const Json jobs = RunJson({"jobs"});
  for (const Json& job : jobs["jobs"]) {
    attempts += job["attempts"].get<int>();
  }
  EXPECT_EQ(attempts, 1);
}

TEST_F(HeldTest, ACancelledJobEndsItsWaiters) {
  Hold();
  if (!HasCompiler()) {
    GTEST_SKIP() << kNoCompiler;
  }
  Process tune = Start(kTune);
  std::string name;
  ASSERT_TRUE(AwaitJob([&](const Json& job) {
    name = job["name"];
    return job["progress"]["measured"].get<int>() >= 1;
  }));
  EXPECT_EQ(Run({"cancel", name}).exit_code, 0);
  Release();
  const auto cancelled = tune.Wait(std::chrono::seconds(60));
  ASSERT_TRUE(cancelled.has_value());
  EXPECT_EQ(cancelled->exit_code, 75) << cancelled->err;
  EXPECT_NE(cancelled->err.find("was cancelled"), std::string::npos) << cancelled->err;
  EXPECT_EQ(Run({"cancel", name}).exit_code, 0);  // idempotent
}

}  // namespace
}  // namespace tw::integration
