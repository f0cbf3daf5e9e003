// The real worker with its simulated device: offenders leave folders, and folders are replayed.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker/replay.h"

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/temp_dir.h"
#include "tuner/device/fake_device.h"
#include "tuner/measure/repro.h"
#include "tuner/worker/subprocess.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

std::string Script(const std::string& behaviour) {
  return R"({"rules": [{"match": "*", "behaviour": ")" + behaviour + R"("}]})";
}

class ReplayTest : public ::testing::Test {
 protected:
  // All candidates behave so.
  [[nodiscard]] GpuPoolOptions Pool(const std::string& behaviour) const {
    GpuPoolOptions options;
    options.worker_path = std::string(TW_BIN_DIR) + "/tilewright-worker";
    options.extra_args = {"--fake=" + Script(behaviour)};
    options.lock_dir = dir_.path();
    options.run_limit = milliseconds(behaviour == "hang" ? 500 : 30'000);
    return options;
  }

  // What the candidate comes to, where its folder is kept.
  BenchmarkOutcome Judge(const std::string& behaviour) {
    GpuPoolOptions options = Pool(behaviour);
    options.repro_dir = Shelf();
    GpuPool pool(options);
    const std::vector<DeviceSpec> devices = pool.Devices();
    const auto session = pool.Open(Job(devices.at(0).uuid), {});
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    const auto outcome = (*session)->Run(Candidate(devices.at(0).arch), {});
    EXPECT_TRUE(outcome.ok()) << outcome.status().ToString();
    return outcome.ok() ? *outcome : BenchmarkOutcome{};
  }

  static BenchmarkJob Job(const std::string& uuid) {
    GemmProblem problem;
    problem.m = problem.n = problem.k = 32;
    BenchmarkJob job;
    job.device_uuid = uuid;
    job.problem = *Normalize(problem);
    job.options.seed = 7;
    job.options.max_seconds = 0.01;
    job.options.warmup_seconds = 0.001;
    job.options.max_wait_seconds = 0;
    return job;
  }

  static CandidateRun Candidate(const std::string& arch) {
    CandidateRun candidate;
    candidate.candidate_id = "culprit";
    candidate.kernel.arch = arch;
    candidate.kernel.cubin = "image";
    candidate.source = "source";
    KernelLaunch launch;
    launch.entry = "entry";
    launch.block = {128, 1, 1};
    candidate.launch.launches = {launch};
    return candidate;
  }

  [[nodiscard]] fs::path Shelf() const { return dir_.path() / "repro"; }

  // The only one; empty: there is none, or there are several.
  [[nodiscard]] fs::path Folder() const {
    std::vector<fs::path> folders;
    if (fs::exists(Shelf()))
      folders.assign(fs::directory_iterator(Shelf()), {});
    return folders.size() == 1 ? folders.front() : fs::path();
  }

  Result<bool> Replay(const std::string& behaviour) {
    std::FILE* file = std::tmpfile();
    Result<bool> passed = ReplayRepro(Folder(), Pool(behaviour), file);
    std::rewind(file);
    printed_.clear();
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
      printed_ += static_cast<char>(c);
    std::fclose(file);
    return passed;
  }

  // Of `tilewright-worker --replay FOLDER --fake SCRIPT`.
  static int ExitCode(const fs::path& folder, const std::string& script) {
    auto process = Subprocess::Start({.file = std::string(TW_BIN_DIR) + "/tilewright-worker",
                                      .args = {"--replay", folder.string(), "--fake=" + script}});
    const auto state = process.value()->Wait(milliseconds(60'000));
    return state && state->signal == 0 ? state->exit_code : -1;
  }

  fakes::TempDir dir_;
  std::string printed_;
};

TEST_F(ReplayTest, AWrongCandidateLeavesAFolderAndFailsAgain) {
  const BenchmarkOutcome outcome = Judge("wrong");
  ASSERT_EQ(outcome.kind, OutcomeKind::kWrongResult);
  EXPECT_THAT(outcome.detail, HasSubstr("; repro: " + Folder().string()));
  EXPECT_THAT(Folder().filename().string(), StartsWith("culprit-"));
  const auto repro = ReadRepro(Folder());
  ASSERT_TRUE(repro.ok()) << repro.status().ToString();
  EXPECT_EQ(repro->verdict.rule, outcome.rule);
  EXPECT_EQ(repro->verdict.error_ratio, outcome.error_ratio);
  EXPECT_EQ(repro->seed, 7U);
  EXPECT_EQ(repro->source, "source");

  const auto passed = Replay("wrong");
  ASSERT_TRUE(passed.ok()) << passed.status().ToString();
  EXPECT_FALSE(*passed);
  // The same seed: the same element, by the same amount.
  const std::size_t recorded = printed_.find("recorded  ");
  const std::size_t replayed = printed_.find("replayed  ");
  ASSERT_NE(replayed, std::string::npos) << printed_;
  const std::string verdict = printed_.substr(recorded + 10, replayed - recorded - 10);
  EXPECT_THAT(verdict, StartsWith("wrong_result " + outcome.rule + ", error ratio "));
  EXPECT_EQ(printed_.substr(replayed + 10), verdict + "it fails\n");
}

TEST_F(ReplayTest, ARightOnePasses) {
  Judge("wrong");
  const auto passed = Replay("ok");
  ASSERT_TRUE(passed.ok()) << passed.status().ToString();
  EXPECT_TRUE(*passed) << printed_;
  EXPECT_THAT(printed_, HasSubstr("replayed  measured, error ratio "));
}

TEST_F(ReplayTest, CrashHangAndStickyErrorLeaveAFolderAndFailAgain) {
  for (const auto& [behaviour, rule] :
       {std::pair("crash", "worker_died"), {"sticky", "sticky_cuda_error"}, {"hang", "hang"}}) {
    fs::remove_all(Shelf());
    EXPECT_EQ(Judge(behaviour).rule, rule);
    const auto repro = ReadRepro(Folder());
    ASSERT_TRUE(repro.ok()) << behaviour << repro.status().ToString();
    EXPECT_EQ(repro->verdict.rule, rule);
  }
  // Of the last one, on a device where it now crashes: the replay outlives that.
  const auto passed = Replay("crash");
  ASSERT_TRUE(passed.ok()) << passed.status().ToString();
  EXPECT_FALSE(*passed);
  EXPECT_THAT(printed_, HasSubstr("recorded  timed_out hang,"));
  EXPECT_THAT(printed_, HasSubstr("replayed  crashed worker_died,"));
}

TEST_F(ReplayTest, RightAndRefusedOnesLeaveNone) {
  EXPECT_EQ(Judge("ok").kind, OutcomeKind::kMeasured);
  EXPECT_EQ(Judge("launch_error").kind, OutcomeKind::kLaunchError);
  EXPECT_FALSE(fs::exists(Shelf()));
}

TEST_F(ReplayTest, ADamagedFolderAndAnotherArchitectureAreErrors) {
  Judge("wrong");
  Repro repro = ReadRepro(Folder()).value();
  repro.arch = "sm_0";
  ASSERT_TRUE(WriteRepro(Folder(), repro).ok());
  EXPECT_THAT(Replay("ok").status().message(), HasSubstr("no GPU of sm_0"));
  std::ofstream(Folder() / "repro.json") << "{";
  EXPECT_THAT(Replay("ok").status().message(), HasSubstr("repro.json"));
}

TEST_F(ReplayTest, TheCommandsExitCodeSaysWhatBecameOfIt) {
  Judge("wrong");
  EXPECT_EQ(ExitCode(Folder(), Script("ok")), 0);
  EXPECT_EQ(ExitCode(Folder(), Script("nan")), 1);
  EXPECT_EQ(ExitCode(dir_.path(), Script("ok")), 2);
}

}  // namespace
}  // namespace tw
