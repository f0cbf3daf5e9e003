#include "tuner/worker/gpu_pool.h"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <gtest/gtest.h>

#include "tests/fakes/temp_dir.h"
#include "tests/tuner/worker/proc.h"

namespace tw {
namespace {

using std::chrono::milliseconds;

class GpuPoolTest : public ::testing::Test {
 public:
  ~GpuPoolTest() override { EXPECT_TRUE(test::ChildrenOf(getpid()).empty()); }

 protected:
  [[nodiscard]] GpuPoolOptions Options(std::vector<std::string> extra_args = {}) const {
    GpuPoolOptions options;
    options.worker_path = std::string(TW_BIN_DIR) + "/scripted_gpu_worker";
    options.extra_args = std::move(extra_args);
    options.extra_args.push_back("--directory=" + directory_.path().string());
    options.lock_dir = directory_.path();
    return options;
  }

  // Of quick measurements, so that deadlines are those of the options.
  static BenchmarkJob Job(std::string uuid = "GPU-one") {
    GemmProblem problem;
    problem.m = problem.n = problem.k = 64;
    BenchmarkJob job;
    job.device_uuid = std::move(uuid);
    job.problem = *Normalize(problem);
    job.options.max_seconds = 0.01;
    job.options.warmup_seconds = 0;
    job.options.max_wait_seconds = 0;
    return job;
  }

  static CandidateRun Candidate(std::string id) {
    CandidateRun candidate;
    candidate.candidate_id = std::move(id);
    return candidate;
  }

  static std::vector<CandidateRun> Candidates(const std::vector<std::string>& ids) {
    std::vector<CandidateRun> candidates;
    candidates.reserve(ids.size());
    for (const std::string& id : ids)
      candidates.push_back(Candidate(id));
    return candidates;
  }

  static std::unique_ptr<BenchmarkSession> Open(GpuPool* pool, std::string uuid = "GPU-one") {
    auto session = pool->Open(Job(std::move(uuid)), {});
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    return session.ok() ? *std::move(session) : nullptr;
  }

  // How often the workers were asked so.
  [[nodiscard]] int Count(const std::string& line) const {
    std::ifstream log(directory_.path() / "log");
    int count = 0;
    for (std::string text; std::getline(log, text);)
      count += text == line ? 1 : 0;
    return count;
  }

  fakes::TempDir directory_;
};

constexpr const char* kOpenLine = "open GPU-one sees GPU-one";

TEST_F(GpuPoolTest, FindsDevicesByAChildThatIsGoneAfterwards) {
  GpuPool pool(Options());
  ASSERT_EQ(pool.Devices().size(), 2U);
  EXPECT_EQ(pool.Devices()[0].uuid, "GPU-one");
  EXPECT_EQ(pool.Note(), "");
  EXPECT_TRUE(test::ChildrenOf(getpid()).empty());
}

TEST_F(GpuPoolTest, UsesOnlyTheDevicesThatItMay) {
  GpuPoolOptions options = Options();
  options.uuids = {"GPU-two", "GPU-other"};
  GpuPool pool(options);
  ASSERT_EQ(pool.Devices().size(), 1U);
  EXPECT_EQ(pool.Devices()[0].uuid, "GPU-two");
  EXPECT_EQ(pool.Open(Job("GPU-one"), {}).status().code(), StatusCode::kUnavailable);

  options.uuids = {"GPU-other"};
  GpuPool none(options);
  EXPECT_TRUE(none.Devices().empty());
  EXPECT_NE(none.Note().find("asked for"), std::string::npos);
}

TEST_F(GpuPoolTest, SaysWhyThereIsNoDevice) {
  GpuPool no_driver(Options({"--devices=none"}));
  EXPECT_TRUE(no_driver.Devices().empty());
  EXPECT_EQ(no_driver.Note(), "libcuda.so.1 not found");
  const auto session = no_driver.Open(Job(), {});
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(session.status().message().find("libcuda.so.1"), std::string::npos);

  GpuPool crash(Options({"--devices=crash"}));
  EXPECT_NE(crash.Note().find("signal 6"), std::string::npos) << crash.Note();

  GpuPoolOptions options = Options();
  options.enabled = false;
  GpuPool off(options);
  EXPECT_NE(off.Note().find("switched off"), std::string::npos);

  options = Options();
  options.worker_path = "/nonexistent/worker";
  GpuPool missing(options);
  EXPECT_NE(missing.Note().find("/nonexistent/worker"), std::string::npos);
}

CompiledKernel CalibratingKernels(const std::string& behaviour) {
  CompiledKernel kernels;
  kernels.arch = behaviour;
  return kernels;
}

TEST_F(GpuPoolTest, CalibratesInAWorkerOfItsOwn) {
  GpuPool pool(Options());
  const auto calibration = pool.Calibrate("GPU-two", CalibratingKernels("ok"), {});
  ASSERT_TRUE(calibration.ok()) << calibration.status().ToString();
  EXPECT_EQ(calibration->device_uuid, "GPU-two");
  EXPECT_EQ(calibration->launch_s, 1.25e-6);
  EXPECT_EQ(Count("calibrate GPU-two sees GPU-two"), 1);
  EXPECT_TRUE(test::ChildrenOf(getpid()).empty());
  EXPECT_EQ(pool.Calibrate("GPU-other", {}, {}).status().code(), StatusCode::kUnavailable);
}

TEST_F(GpuPoolTest, ACalibrationThatFailsIsAStatusAndLeavesTheDeviceFree) {
  GpuPoolOptions options = Options();
  options.calibrate_limit = milliseconds(200);
  GpuPool pool(options);
  const auto code = [&](const std::string& behaviour) {
    return pool.Calibrate("GPU-one", CalibratingKernels(behaviour), {}).status().code();
  };
  EXPECT_EQ(code("crash"), StatusCode::kUnavailable);
  EXPECT_EQ(code("hang"), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(code("busy"), StatusCode::kAborted);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(pool.Calibrate("GPU-one", CalibratingKernels("ok"), stop.get_token()).status().code(),
            StatusCode::kCancelled);
  EXPECT_TRUE(test::ChildrenOf(getpid()).empty());
  EXPECT_NE(Open(&pool), nullptr);
}

TEST_F(GpuPoolTest, MeasuresInOneWorkerThatSeesOneDevice) {
  GpuPool pool(Options());
  const auto session = Open(&pool);
  ASSERT_NE(session, nullptr);
  for (int i = 0; i < 3; ++i) {
    const auto outcome = session->Run(Candidate("ok"), {});
    ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
    EXPECT_EQ(outcome->kind, OutcomeKind::kMeasured);
    EXPECT_EQ(outcome->measurement->median_ns, 100.5);
    EXPECT_EQ(outcome->error_ratio, 0.25);
  }
  EXPECT_EQ(Count(kOpenLine), 1);
}

TEST_F(GpuPoolTest, HangIsKilledAndNotTriedAgain) {
  GpuPoolOptions options = Options();
  options.run_limit = milliseconds(150);
  GpuPool pool(options);
  const auto session = Open(&pool);
  const auto begin = std::chrono::steady_clock::now();
  const auto outcome = session->Run(Candidate("hang"), {});
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(150));
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->kind, OutcomeKind::kTimedOut);
  EXPECT_EQ(outcome->rule, "hang");
  EXPECT_EQ(Count("run hang"), 1);
  EXPECT_TRUE(test::ChildrenOf(getpid()).empty());
}

TEST_F(GpuPoolTest, AfterAHangTheNextCandidateIsMeasured) {
  GpuPoolOptions options = Options();
  options.run_limit = milliseconds(2000);
  GpuPool pool(options);
  const auto session = Open(&pool);
  EXPECT_EQ(session->Run(Candidate("hang"), {})->kind, OutcomeKind::kTimedOut);
  EXPECT_EQ(session->Run(Candidate("ok"), {})->kind, OutcomeKind::kMeasured);
  EXPECT_EQ(Count(kOpenLine), 2) << "the job was opened again";
}

TEST_F(GpuPoolTest, CrashIsBlamedOnTheSecondTimeOnly) {
  GpuPool pool(Options());
  const auto session = Open(&pool);
  const auto crashed = session->Run(Candidate("crash"), {});
  ASSERT_TRUE(crashed.ok()) << crashed.status().ToString();
  EXPECT_EQ(crashed->kind, OutcomeKind::kCrashed);
  EXPECT_EQ(crashed->rule, "worker_died");
  EXPECT_NE(crashed->detail.find("signal 11 (SEGV)"), std::string::npos) << crashed->detail;
  EXPECT_EQ(Count("run crash"), 2);

  EXPECT_EQ(session->Run(Candidate("crash-once"), {})->kind, OutcomeKind::kMeasured);
  EXPECT_EQ(session->Run(Candidate("exit"), {})->rule, "worker_died");
  EXPECT_EQ(session->Run(Candidate("ok"), {})->kind, OutcomeKind::kMeasured);
}

TEST_F(GpuPoolTest, StickyErrorIsBlamedOnTheSecondTimeOnly) {
  GpuPool pool(Options());
  const auto session = Open(&pool);
  const auto sticky = session->Run(Candidate("sticky"), {});
  ASSERT_TRUE(sticky.ok()) << sticky.status().ToString();
  EXPECT_EQ(sticky->kind, OutcomeKind::kCrashed);
  EXPECT_EQ(sticky->rule, "sticky_cuda_error");
  EXPECT_EQ(sticky->detail, "an illegal memory access was encountered");
  EXPECT_EQ(Count("run sticky"), 2);
  EXPECT_EQ(session->Run(Candidate("sticky-once"), {})->kind, OutcomeKind::kMeasured);
}

TEST_F(GpuPoolTest, ErrorReplyIsTriedOnceMoreOnAFreshWorker) {
  GpuPool pool(Options());
  const auto session = Open(&pool);
  EXPECT_EQ(session->Run(Candidate("error-once"), {})->kind, OutcomeKind::kMeasured);
  EXPECT_EQ(Count(kOpenLine), 2);
  const auto failed = session->Run(Candidate("error"), {});
  ASSERT_TRUE(failed.ok()) << failed.status().ToString();
  EXPECT_EQ(failed->kind, OutcomeKind::kCrashed);
  EXPECT_EQ(failed->rule, "worker_failed");
  EXPECT_NE(failed->detail.find("cannot judge"), std::string::npos);
  EXPECT_EQ(session->Run(Candidate("ok"), {})->kind, OutcomeKind::kMeasured);
}

TEST_F(GpuPoolTest, GarbageEndsTheWorker) {
  GpuPool pool(Options());
  const auto session = Open(&pool);
  const auto garbage = session->Run(Candidate("garbage"), {});
  ASSERT_TRUE(garbage.ok()) << garbage.status().ToString();
  EXPECT_EQ(garbage->kind, OutcomeKind::kCrashed);
  EXPECT_EQ(garbage->rule, "worker_died");
  EXPECT_EQ(session->Run(Candidate("ok"), {})->kind, OutcomeKind::kMeasured);
}

TEST_F(GpuPoolTest, KilledFromOutsideInMidRunCostsOnlyTime) {
  GpuPool pool(Options());
  const auto session = Open(&pool);
  std::jthread killer([&] {
    // "hang-once" leaves its mark when it begins to hang.
    ASSERT_TRUE(
        test::Eventually([&] { return std::filesystem::exists(directory_.path() / "hang-once"); }));
    const std::vector<pid_t> children = test::ChildrenOf(getpid());
    ASSERT_EQ(children.size(), 1U);
    ASSERT_EQ(kill(children[0], SIGKILL), 0);
  });
  const auto outcome = session->Run(Candidate("hang-once"), {});
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->kind, OutcomeKind::kMeasured);
}

TEST_F(GpuPoolTest, StopKillsTheWorkerAtOnce) {
  GpuPool pool(Options());
  const auto session = Open(&pool);
  std::stop_source stop;
  std::jthread stopper([&] {
    EXPECT_TRUE(test::Eventually([&] { return Count("run hang") == 1; }));
    stop.request_stop();
  });
  EXPECT_EQ(session->Run(Candidate("hang"), stop.get_token()).status().code(),
            StatusCode::kCancelled);
  EXPECT_TRUE(test::ChildrenOf(getpid()).empty());
}

TEST_F(GpuPoolTest, InterleavedGivesOneOutcomeEach) {
  GpuPool pool(Options());
  const auto session = Open(&pool);
  const auto outcomes = session->RunInterleaved(Candidates({"a", "b", "c"}), 5, {});
  ASSERT_TRUE(outcomes.ok()) << outcomes.status().ToString();
  ASSERT_EQ(outcomes->size(), 3U);
  EXPECT_EQ(Count("interleave b"), 1);
  EXPECT_TRUE(session->RunInterleaved({}, 5, {})->empty());
}

TEST_F(GpuPoolTest, InterleavedSurvivesOneDeathAsIfNothingHappened) {
  GpuPool pool(Options());
  const auto session = Open(&pool);
  const auto outcomes = session->RunInterleaved(Candidates({"a", "crash-once", "c"}), 5, {});
  ASSERT_TRUE(outcomes.ok()) << outcomes.status().ToString();
  for (const BenchmarkOutcome& outcome : *outcomes)
    EXPECT_EQ(outcome.kind, OutcomeKind::kMeasured);
  EXPECT_EQ(Count("interleave a"), 2);
  EXPECT_EQ(Count("interleave c"), 1);
}

TEST_F(GpuPoolTest, InterleavedFindsTheCulpritAndKeepsTheRest) {
  for (const char* culprit : {"crash", "sticky", "hang"}) {
    GpuPoolOptions options = Options();
    options.run_limit = milliseconds(2000);
    GpuPool pool(options);
    const auto session = Open(&pool);
    const auto outcomes = session->RunInterleaved(Candidates({"a", culprit, "c"}), 5, {});
    ASSERT_TRUE(outcomes.ok()) << outcomes.status().ToString();
    ASSERT_EQ(outcomes->size(), 3U);
    EXPECT_EQ((*outcomes)[0].kind, OutcomeKind::kMeasured) << culprit;
    EXPECT_NE((*outcomes)[1].kind, OutcomeKind::kMeasured) << culprit;
    EXPECT_FALSE((*outcomes)[1].measurement) << culprit;
    EXPECT_EQ((*outcomes)[2].kind, OutcomeKind::kMeasured) << culprit;
  }
}

TEST_F(GpuPoolTest, InterleavedKeepsTheCulpritsRepro) {
  GpuPoolOptions options = Options();
  options.repro_dir = directory_.path() / "repro";
  GpuPool pool(options);
  const auto outcomes = Open(&pool)->RunInterleaved(Candidates({"a", "crash", "c"}), 5, {});
  ASSERT_TRUE(outcomes.ok()) << outcomes.status().ToString();
  const std::string& detail = outcomes->at(1).detail;
  const std::size_t at = detail.find(options.repro_dir + "/crash-");
  ASSERT_NE(at, std::string::npos) << detail;
  EXPECT_TRUE(std::filesystem::exists(detail.substr(at) + "/repro.json"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(options.repro_dir), {}), 1);
}

TEST_F(GpuPoolTest, AReproThatCannotBeKeptCostsNothingElse) {
  GpuPoolOptions options = Options();
  options.repro_dir = directory_.path() / "file" / "inside";
  std::ofstream(directory_ / "file") << "x";
  std::vector<std::string> troubles;
  options.on_repro_trouble = [&](const Status& status) { troubles.push_back(status.message()); };
  GpuPool pool(options);
  const auto outcome = Open(&pool)->Run(Candidate("sticky"), {});
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->detail, "an illegal memory access was encountered");
  ASSERT_EQ(troubles.size(), 1U);
  EXPECT_NE(troubles[0].find("candidate sticky: cannot create"), std::string::npos) << troubles[0];
}

TEST_F(GpuPoolTest, WorkerThatCannotOpenIsTriedThreeTimes) {
  GpuPool pool(Options({"--open=crash"}));
  const auto session = pool.Open(Job(), {});
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(session.status().message().find("lost"), std::string::npos);
  EXPECT_EQ(Count(kOpenLine), 3);

  GpuPool once(Options({"--open=crash-once"}));
  EXPECT_TRUE(once.Open(Job(), {}).ok());
}

TEST_F(GpuPoolTest, JobThatDoesNotFitIsNotTriedAgain) {
  GpuPool pool(Options({"--open=no-memory"}));
  EXPECT_EQ(pool.Open(Job(), {}).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(Count(kOpenLine), 1);
}

TEST_F(GpuPoolTest, DeviceIsHeldByOneSessionAtATimeOfWhateverPool) {
  GpuPool first_pool(Options());
  GpuPool second_pool(Options());
  auto first = Open(&first_pool);
  EXPECT_NE(Open(&second_pool, "GPU-two"), nullptr) << "the other device is free";

  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(second_pool.Open(Job(), stop.get_token()).status().code(), StatusCode::kCancelled);
  stopper.join();

  std::jthread closer([&] { first = nullptr; });
  EXPECT_NE(Open(&second_pool), nullptr);
}

TEST_F(GpuPoolTest, LockEndsWithAKilledHolder) {
  // The worker must not hold the lock: only the daemon's descriptor does.
  GpuPool pool(Options());
  const auto session = Open(&pool);
  for (const pid_t child : test::ChildrenOf(getpid())) {
    for (const auto& [number, target] : test::DescriptorsOf(child))
      EXPECT_EQ(target.find(".lock"), std::string::npos) << number << " " << target;
  }
}

TEST_F(GpuPoolTest, SessionsOnTwoDevicesRunAtOnce) {
  GpuPool pool(Options());
  pool.Devices();
  const auto measure = [&](const std::string& uuid) {
    const auto session = Open(&pool, uuid);
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(session->Run(Candidate("ok"), {})->kind, OutcomeKind::kMeasured);
  };
  std::jthread one(measure, "GPU-one");
  std::jthread two(measure, "GPU-two");
}

TEST_F(GpuPoolTest, SessionOutlivesThePool) {
  auto pool = std::make_unique<GpuPool>(Options());
  auto session = Open(pool.get());
  pool.reset();
  EXPECT_EQ(session->Run(Candidate("crash-once"), {})->kind, OutcomeKind::kMeasured);
  const std::vector<pid_t> children = test::ChildrenOf(getpid());
  EXPECT_EQ(children.size(), 1U);
  session.reset();
  for (const pid_t child : children)
    EXPECT_FALSE(test::IsRunning(child));
}

}  // namespace
}  // namespace tw
