// The real worker with its simulated device, through the pool.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "tests/fakes/temp_dir.h"
#include "tests/tuner/worker/proc.h"
#include "tuner/worker/gpu_pool.h"

namespace tw {
namespace {

using std::chrono::milliseconds;

class FakeGpu : public ::testing::Test {
 public:
  ~FakeGpu() override {
    session_.reset();
    pool_.reset();
    EXPECT_TRUE(test::ChildrenOf(getpid()).empty());
  }

 protected:
  // A session on the simulated device whose candidates do what `script` says.
  void Start(const std::string& script, milliseconds run_limit = milliseconds(30'000)) {
    GpuPoolOptions options;
    options.worker_path = std::string(TW_BIN_DIR) + "/tilewright-worker";
    options.extra_args = {"--fake=" + script};
    options.lock_dir = directory_.path();
    options.run_limit = run_limit;
    pool_ = std::make_unique<GpuPool>(options);
    const std::vector<DeviceSpec> devices = pool_->Devices();
    ASSERT_EQ(devices.size(), 1U) << pool_->Note();
    auto session = pool_->Open(Job(devices[0].uuid), {});
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    session_ = *std::move(session);
  }

  BenchmarkOutcome Run(const std::string& entry) {
    const auto outcome = session_->Run(Candidate(entry), {});
    EXPECT_TRUE(outcome.ok()) << outcome.status().ToString();
    return outcome.ok() ? *outcome : BenchmarkOutcome{};
  }

  static BenchmarkJob Job(const std::string& uuid) {
    GemmProblem problem;
    problem.m = problem.n = problem.k = 32;
    BenchmarkJob job;
    job.device_uuid = uuid;
    job.problem = *Normalize(problem);
    job.options.max_seconds = 0.01;
    job.options.warmup_seconds = 0.001;
    job.options.max_wait_seconds = 0;
    return job;
  }

  static CandidateRun Candidate(const std::string& entry) {
    CandidateRun candidate;
    candidate.candidate_id = entry;
    EntryResources resources;
    resources.entry = entry;
    resources.registers = 32;
    candidate.kernel.entries = {resources};
    candidate.kernel.cubin = "image";
    KernelLaunch launch;
    launch.entry = entry;
    launch.block = {128, 1, 1};
    candidate.launch.launches = {launch};
    return candidate;
  }

  fakes::TempDir directory_;
  std::unique_ptr<GpuPool> pool_;
  std::unique_ptr<BenchmarkSession> session_;
};

TEST_F(FakeGpu, MeasuresARightCandidate) {
  Start("");
  const BenchmarkOutcome outcome = Run("good");
  EXPECT_EQ(outcome.kind, OutcomeKind::kMeasured) << outcome.rule << ": " << outcome.detail;
  ASSERT_TRUE(outcome.measurement);
  EXPECT_GT(outcome.measurement->median_ns, 0);
}

TEST_F(FakeGpu, RejectsAWrongOneInTheSameWorker) {
  Start(R"({"rules": [{"match": "bad", "behaviour": "wrong"}]})");
  EXPECT_EQ(Run("bad").kind, OutcomeKind::kWrongResult);
  EXPECT_EQ(Run("good").kind, OutcomeKind::kMeasured);
}

TEST_F(FakeGpu, ComparesWithTheLibrary) {
  Start(R"({"rules": [{"match": "*", "behaviour": "ok", "time_ns": 20000}],
            "library": {"version": "fakelt 2.0", "algorithms": [
              {"time_ns": 10000, "behaviour": "wrong"}, {"time_ns": 30000}]}})");
  const auto report = session_->CompareWithLibrary(Candidate("good"), {}, {});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->library, "fakelt 2.0");
  EXPECT_EQ(report->algorithms.at(0).kind, OutcomeKind::kWrongResult);
  EXPECT_EQ(report->best, 1);
  EXPECT_NEAR(report->over_best.ratio, 1.5, 0.01);
  EXPECT_EQ(report->verdict, ComparisonVerdict::kFaster);
}

TEST_F(FakeGpu, ALibraryThatSpoilsTheDeviceCostsTheComparisonOnly) {
  Start(R"({"library": {"algorithms": [{"behaviour": "ok"}, {"behaviour": "sticky"}]}})");
  const auto report = session_->CompareWithLibrary(Candidate("good"), {}, {});
  EXPECT_NE(report.status().message().find("library algorithm 1"), std::string::npos)
      << report.status().ToString();
  EXPECT_EQ(Run("good").kind, OutcomeKind::kMeasured);
}

TEST_F(FakeGpu, AWrongCandidateIsNotCompared) {
  Start(R"({"rules": [{"match": "bad", "behaviour": "wrong"}]})");
  EXPECT_EQ(session_->CompareWithLibrary(Candidate("bad"), {}, {}).status().code(),
            StatusCode::kFailedPrecondition);
  EXPECT_TRUE(session_->CompareWithLibrary(Candidate("good"), {}, {}).ok());
}

TEST_F(FakeGpu, SurvivesHangCrashAndStickyError) {
  Start(R"({"rules": [{"match": "crash", "behaviour": "crash"},
                      {"match": "sticky", "behaviour": "sticky"},
                      {"match": "hang", "behaviour": "hang"}]})",
        milliseconds(3000));
  EXPECT_EQ(Run("crash").rule, "worker_died");
  EXPECT_EQ(Run("sticky").rule, "sticky_cuda_error");
  const BenchmarkOutcome hang = Run("hang");
  EXPECT_EQ(hang.kind, OutcomeKind::kTimedOut);
  EXPECT_EQ(hang.rule, "hang");
  EXPECT_EQ(Run("good").kind, OutcomeKind::kMeasured);
}

TEST_F(FakeGpu, KilledFromOutsideCostsOnlyTime) {
  Start(R"({"rules": [{"match": "slow", "behaviour": "slow:20"}]})");
  const std::vector<pid_t> before = test::ChildrenOf(getpid());
  ASSERT_EQ(before.size(), 1U);
  std::jthread killer([&] {
    // In the middle of the candidate: the worker is asleep in a launch.
    ASSERT_TRUE(test::Eventually([&] {
      return test::ReadProc(before[0], "syscall").starts_with(std::to_string(SYS_clock_nanosleep));
    }));
    kill(before[0], SIGKILL);
  });
  EXPECT_EQ(Run("slow").kind, OutcomeKind::kMeasured);
  killer.join();
  EXPECT_NE(test::ChildrenOf(getpid()), before);
}

TEST_F(FakeGpu, MeasuresFinalistsInTurns) {
  Start(R"({"rules": [{"match": "crash", "behaviour": "crash"}]})");
  const std::vector<CandidateRun> finalists = {Candidate("one"), Candidate("two")};
  ASSERT_EQ(Run("one").kind, OutcomeKind::kMeasured);
  const auto outcomes = session_->RunInterleaved(finalists, 5, {});
  ASSERT_TRUE(outcomes.ok()) << outcomes.status().ToString();
  ASSERT_EQ(outcomes->size(), 2U);
  for (const BenchmarkOutcome& outcome : *outcomes)
    EXPECT_EQ(outcome.kind, OutcomeKind::kMeasured) << outcome.rule << ": " << outcome.detail;
}

}  // namespace
}  // namespace tw
