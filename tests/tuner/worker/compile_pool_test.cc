#include "tuner/worker/compile_pool.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "codegen/compile/nvrtc_api.h"
#include "tests/tuner/worker/proc.h"

namespace tw {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

CompilePoolOptions Options(std::vector<std::string> extra_args = {}) {
  CompilePoolOptions options;
  options.worker_path = std::string(TW_BIN_DIR) + "/tilewright-worker";
  options.extra_args = std::move(extra_args);
  return options;
}

KernelSource Source(std::string text = "extern \"C\" __global__ void probe(float* p) { *p = 1; }") {
  return {.entry = "probe",
          .text = std::move(text),
          .arch = "sm_90a",
          .options = {"--std=c++17"},
          .digest = "d"};
}

bool HaveNvrtc() {
  static const bool have = LoadNvrtc({.directories = {"/usr/local/cuda/lib64"}}).ok();
  return have;
}

#define TW_NEEDS_NVRTC() \
  if (!HaveNvrtc())      \
  GTEST_SKIP() << "SKIPPED: this machine has no NVRTC"

// 2^40 instantiations: no compiler ends this.
constexpr const char* kTemplateBomb = R"(
template <int Depth, long Path> struct Bomb {
  static constexpr int kValue = Bomb<Depth - 1, 2 * Path>::kValue + Bomb<Depth - 1, 2 * Path + 1>::kValue;
};
template <long Path> struct Bomb<0, Path> { static constexpr int kValue = 1; };
extern "C" __global__ void probe(int* p) { *p = Bomb<40, 0>::kValue; }
)";

class CompilePoolTest : public ::testing::Test {
 public:
  ~CompilePoolTest() override { EXPECT_TRUE(test::ChildrenOf(getpid()).empty()); }
};

TEST_F(CompilePoolTest, CompilesAndReusesItsChild) {
  TW_NEEDS_NVRTC();
  CompilePool pool(Options());
  EXPECT_EQ(pool.Parallelism(), 1);
  const auto version = pool.Version();
  ASSERT_TRUE(version.ok()) << version.status().ToString();
  EXPECT_EQ(version->rfind("nvrtc 1", 0), 0U);
  const std::vector<pid_t> before = test::ChildrenOf(getpid());
  const auto kernel = pool.Compile(Source(), {});
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  EXPECT_EQ(kernel->cubin.substr(1, 3), "ELF");
  EXPECT_EQ(kernel->compiler, *version);
  ASSERT_EQ(kernel->entries.size(), 1U);
  EXPECT_GT(kernel->entries[0].registers, 0);
  EXPECT_GT(kernel->compile_seconds, 0);
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(test::ChildrenOf(getpid()), before);
}

TEST_F(CompilePoolTest, RejectedSourceComesBackWithTheLog) {
  TW_NEEDS_NVRTC();
  CompilePool pool(Options());
  const auto kernel = pool.Compile(Source("int x = nope;"), {});
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(kernel.status().message().find("nope"), std::string::npos);
  EXPECT_LE(kernel.status().message().size(), 8192U);
  EXPECT_TRUE(pool.Compile(Source(), {}).ok());
}

TEST_F(CompilePoolTest, IncludeFindsNothingBesideTheWorker) {
  TW_NEEDS_NVRTC();
  CompilePool pool(Options());
  const auto kernel = pool.Compile(Source("#include \"CMakeCache.txt\"\n"), {});
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(kernel.status().message().find("cannot open source file"), std::string::npos);
}

TEST_F(CompilePoolTest, TemplateBombIsKilledAtTheWallLimit) {
  TW_NEEDS_NVRTC();
  CompilePoolOptions options = Options();
  // Long enough for the kernel after the bomb on a busy machine.
  options.wall_limit = milliseconds(5000);
  CompilePool pool(options);
  const auto begin = Steady::now();
  const auto bomb = pool.Compile(Source(kTemplateBomb), {});
  EXPECT_GE(Steady::now() - begin, milliseconds(5000));
  EXPECT_LT(Steady::now() - begin, milliseconds(30'000));
  ASSERT_FALSE(bomb.ok());
  EXPECT_EQ(bomb.status().code(), StatusCode::kDeadlineExceeded) << bomb.status().ToString();
  EXPECT_NE(bomb.status().message().find("5.0 s"), std::string::npos) << bomb.status().message();
  EXPECT_TRUE(pool.Compile(Source(), {}).ok()) << "the next kernel compiles in a fresh child";
}

TEST_F(CompilePoolTest, ProcessorTimeIsLimited) {
  CompilePoolOptions options = Options({"--fake-compile=spin"});
  options.cpu_limit_s = 1;
  CompilePool pool(options);
  const auto kernel = pool.Compile(Source(), {});
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(kernel.status().message().find("1 s of processor time"), std::string::npos);
}

TEST_F(CompilePoolTest, MemoryIsLimited) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "SKIPPED: no limit of the address space under a sanitizer";
#endif
  CompilePoolOptions options = Options({"--fake-compile=memory"});
  options.memory_limit_bytes = 256 << 20;
  CompilePool pool(options);
  const auto kernel = pool.Compile(Source(), {});
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.status().code(), StatusCode::kInternal);
  EXPECT_NE(kernel.status().message().find("signal 6 (ABRT)"), std::string::npos)
      << kernel.status().message();
}

TEST_F(CompilePoolTest, CrashIsRetriedOnceOnAFreshChild) {
  std::string marker = ::testing::TempDir() + "compile_pool_crash_XXXXXX";
  ASSERT_NE(mkdtemp(marker.data()), nullptr);
  CompilePool pool(Options({"--fake-compile=crash-once:" + marker + "/crashed"}));
  const auto kernel = pool.Compile(Source(), {});
  EXPECT_TRUE(kernel.ok()) << kernel.status().ToString();
  EXPECT_TRUE(std::filesystem::exists(marker + "/crashed"));
  std::filesystem::remove_all(marker);
}

TEST_F(CompilePoolTest, CrashingTwiceNamesTheSignal) {
  CompilePool pool(Options({"--fake-compile=crash"}));
  const auto kernel = pool.Compile(Source(), {});
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.status().code(), StatusCode::kInternal);
  EXPECT_NE(kernel.status().message().find("killed by signal 6 (ABRT)"), std::string::npos)
      << kernel.status().message();
}

TEST_F(CompilePoolTest, BrokenFramesEndTheChild) {
  for (const char* behaviour : {"garbage", "oversized", "half"}) {
    CompilePool pool(Options({std::string("--fake-compile=") + behaviour}));
    const auto kernel = pool.Compile(Source(), {});
    ASSERT_FALSE(kernel.ok()) << behaviour;
    EXPECT_EQ(kernel.status().code(), StatusCode::kInternal) << behaviour;
    EXPECT_TRUE(test::ChildrenOf(getpid()).empty()) << behaviour;
  }
}

TEST_F(CompilePoolTest, StopKillsTheChildAtOnce) {
  CompilePool pool(Options({"--fake-compile=hang"}));
  std::stop_source stop;
  std::jthread stopper([&] {
    EXPECT_TRUE(test::Eventually([] { return !test::ChildrenOf(getpid()).empty(); }));
    stop.request_stop();
  });
  const auto kernel = pool.Compile(Source(), stop.get_token());
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(test::ChildrenOf(getpid()).empty());
}

TEST_F(CompilePoolTest, StopEndsTheWaitForAChild) {
  CompilePool pool(Options({"--fake-compile=hang"}));
  std::stop_source first_stop;
  std::jthread first([&] {
    EXPECT_EQ(pool.Compile(Source(), first_stop.get_token()).status().code(),
              StatusCode::kCancelled);
  });
  ASSERT_TRUE(test::Eventually([] { return test::ChildrenOf(getpid()).size() == 1; }));
  std::stop_source second_stop;
  std::jthread second([&] {
    EXPECT_EQ(pool.Compile(Source(), second_stop.get_token()).status().code(),
              StatusCode::kCancelled);
  });
  second_stop.request_stop();
  second.join();
  EXPECT_EQ(test::ChildrenOf(getpid()).size(), 1U) << "the first one still runs";
  first_stop.request_stop();
}

TEST_F(CompilePoolTest, KilledFromOutsideCostsARetryOnly) {
  TW_NEEDS_NVRTC();
  CompilePool pool(Options());
  ASSERT_TRUE(pool.Version().ok());
  const std::vector<pid_t> children = test::ChildrenOf(getpid());
  ASSERT_EQ(children.size(), 1U);
  ASSERT_EQ(kill(children[0], SIGKILL), 0);
  EXPECT_TRUE(pool.Compile(Source(), {}).ok());
}

TEST_F(CompilePoolTest, ManyThreadsShareTheChildren) {
  CompilePoolOptions options = Options({"--fake-compile=ok"});
  options.children = 2;
  CompilePool pool(options);
  std::mutex mutex;
  std::set<std::string> cubins;  // each names its child's pid
  const auto compile_ten = [&] {
    for (int i = 0; i < 10; ++i) {
      const auto kernel = pool.Compile(Source(), {});
      ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
      const std::lock_guard lock(mutex);
      cubins.insert(kernel->cubin);
    }
  };
  {
    std::vector<std::jthread> threads(6);
    for (std::jthread& thread : threads)
      thread = std::jthread(compile_ten);
  }
  EXPECT_GE(cubins.size(), 1U);
  EXPECT_LE(cubins.size(), 2U);
}

TEST_F(CompilePoolTest, ChildIsConfined) {
  const int inheritable = dup(0);  // not close-on-exec
  ASSERT_GE(inheritable, 0);
  CompilePool pool(Options({"--fake-compile=ok"}));
  ASSERT_TRUE(pool.Compile(Source(), {}).ok());
  const std::vector<pid_t> children = test::ChildrenOf(getpid());
  ASSERT_EQ(children.size(), 1U);
  const auto descriptors = test::DescriptorsOf(children[0]);
  ASSERT_EQ(descriptors.size(), 4U) << "0, 1, 2 and the socket";
  EXPECT_EQ(descriptors.at(0), "/dev/null");
  EXPECT_EQ(descriptors.at(1), descriptors.at(2));
  EXPECT_EQ(descriptors.at(3).rfind("socket:", 0), 0U);

  const std::string status = test::ReadProc(children[0], "status");
  EXPECT_NE(status.find("NoNewPrivs:\t1"), std::string::npos);
  EXPECT_NE(status.find("SigBlk:\t0000000000000000"), std::string::npos);
  const std::string limits = test::ReadProc(children[0], "limits");
  EXPECT_NE(limits.find("Max core file size        0 "), std::string::npos) << limits;
  std::error_code ignored;
  const auto cwd =
      std::filesystem::read_symlink("/proc/" + std::to_string(children[0]) + "/cwd", ignored);
  EXPECT_NE(cwd.string().find("(deleted)"), std::string::npos) << cwd;
  close(inheritable);
}

TEST_F(CompilePoolTest, WithoutNvrtcEverythingIsUnavailable) {
  CompilePool pool(Options({"--nvrtc=/nonexistent/libnvrtc.so.13"}));
  const auto version = pool.Version();
  ASSERT_FALSE(version.ok());
  EXPECT_EQ(version.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(version.status().message().find("/nonexistent/libnvrtc.so.13"), std::string::npos);
  EXPECT_NE(version.status().message().find("install"), std::string::npos);
  EXPECT_EQ(pool.Compile(Source(), {}).status().code(), StatusCode::kUnavailable);
}

TEST_F(CompilePoolTest, WithoutTheWorkerBinaryItSaysSo) {
  CompilePoolOptions options = Options();
  options.worker_path = "/nonexistent/tilewright-worker";
  CompilePool pool(options);
  const auto version = pool.Version();
  ASSERT_FALSE(version.ok());
  EXPECT_EQ(version.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(version.status().message().find("/nonexistent/tilewright-worker"), std::string::npos);
}

TEST_F(CompilePoolTest, ChildrenAreGoneAfterThePool) {
  CompilePoolOptions options = Options({"--fake-compile=ok"});
  std::vector<pid_t> children;
  {
    CompilePool pool(options);
    ASSERT_TRUE(pool.Compile(Source(), {}).ok());
    children = test::ChildrenOf(getpid());
    ASSERT_EQ(children.size(), 1U);
  }
  EXPECT_FALSE(test::IsRunning(children[0]));
}

}  // namespace
}  // namespace tw
