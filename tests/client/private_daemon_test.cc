// SPDX-License-Identifier: Apache-2.0
#include "client/cli/private_daemon.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "client/cli/unique_fd.h"
#include "tests/fakes/temp_dir.h"

namespace tw::cli {
namespace {

using fakes::TempDir;

struct Start {
  pid_t pid;
  bool session_leader;
  int inherited;
};

// The daemons belong to this process, so the test ends and reaps them.
class PrivateDaemonTest : public testing::Test {
 protected:
  ~PrivateDaemonTest() override { KillAll(); }

  [[nodiscard]] PrivateDaemonSpec Spec(const std::string& script = "") const {
    Environment env;
    env.uid = ::geteuid();
    env.xdg_runtime_dir = dir_.path();
    PrivateDaemonSpec spec;
    spec.binary = std::string(TW_BIN_DIR) + "/fake_daemon";
    spec.store = *StorePath(dir_ / "store.db", env);
    spec.paths = PathsOf(spec.store, env);
    spec.uid = env.uid;
    if (!script.empty()) {
      spec.arguments.push_back("--gpus=" + script);
    }
    return spec;
  }

  [[nodiscard]] std::vector<Start> Starts() const {
    std::vector<Start> starts;
    std::ifstream file(Spec().store + ".starts");
    for (Start start{}; file >> start.pid >> start.session_leader >> start.inherited;) {
      starts.push_back(start);
    }
    return starts;
  }

  void KillAll() const {
    for (const Start& start : Starts()) {
      ::kill(start.pid, SIGKILL);
      ::waitpid(start.pid, nullptr, 0);
    }
  }

  TempDir dir_;
};

TEST_F(PrivateDaemonTest, StartsADetachedDaemonAndFindsItAgain) {
  const UniqueFd leaked(::open("/dev/null", O_RDONLY));  // without close-on-exec
  const auto first = EnsureDaemon(Spec(), {});
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_EQ(first->address, "unix:" + Spec().paths.socket);
  EXPECT_FALSE(first->other_options);
  const auto second = EnsureDaemon(Spec(), {});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->address, first->address);
  ASSERT_EQ(Starts().size(), 1U);
  EXPECT_TRUE(Starts()[0].session_leader);
  EXPECT_EQ(Starts()[0].inherited, 0);
}

TEST_F(PrivateDaemonTest, SixteenAtOnceStartOne) {
  std::vector<std::thread> threads;
  std::vector<std::string> addresses(16);
  threads.reserve(addresses.size());
  for (std::string& address : addresses) {
    threads.emplace_back([&] {
      const auto daemon = EnsureDaemon(Spec(), {});
      address = daemon.ok() ? daemon->address : daemon.status().message();
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(addresses, std::vector<std::string>(16, "unix:" + Spec().paths.socket));
  EXPECT_EQ(Starts().size(), 1U);
}

TEST_F(PrivateDaemonTest, ADeadDaemonsSocketIsReplaced) {
  ASSERT_TRUE(EnsureDaemon(Spec(), {}).ok());
  KillAll();
  EXPECT_FALSE(SocketAnswers(Spec().paths.socket));
  ASSERT_TRUE(EnsureDaemon(Spec(), {}).ok());
  EXPECT_EQ(Starts().size(), 2U);
}

TEST_F(PrivateDaemonTest, OtherOptionsAreNoticed) {
  ASSERT_TRUE(EnsureDaemon(Spec("none"), {}).ok());
  EXPECT_FALSE(EnsureDaemon(Spec("none"), {})->other_options);
  EXPECT_TRUE(EnsureDaemon(Spec("all"), {})->other_options);
}

TEST_F(PrivateDaemonTest, ARefusedConfigurationShowsTheLog) {
  const auto daemon = EnsureDaemon(Spec("refuse"), {});
  EXPECT_EQ(daemon.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(daemon.status().message().find("first line\n  no such GPU"), std::string::npos)
      << daemon.status().message();
  EXPECT_EQ(Starts().size(), 1U);
}

TEST_F(PrivateDaemonTest, ADaemonThatDiesIsUnavailable) {
  const auto daemon = EnsureDaemon(Spec("die"), {});
  EXPECT_EQ(daemon.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(daemon.status().message().find("ended with status 1"), std::string::npos);
}

TEST_F(PrivateDaemonTest, ADaemonThatHangsIsKilled) {
  PrivateDaemonSpec spec = Spec("hang");
  spec.start_limit = std::chrono::milliseconds(300);
  const auto daemon = EnsureDaemon(spec, {});
  EXPECT_EQ(daemon.status().code(), StatusCode::kUnavailable);
  ASSERT_EQ(Starts().size(), 1U);
  EXPECT_EQ(::kill(Starts()[0].pid, 0), -1);
}

TEST_F(PrivateDaemonTest, AHeldStoreIsTriedAgainThenReported) {
  const UniqueFd held(::open((Spec().store + ".held").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
  PrivateDaemonSpec spec = Spec();
  spec.store_limit = std::chrono::milliseconds(3000);  // two starts on a busy machine
  const auto daemon = EnsureDaemon(spec, {});
  EXPECT_EQ(daemon.status().code(), StatusCode::kAborted);
  EXPECT_NE(daemon.status().message().find(spec.store), std::string::npos);
  EXPECT_GE(Starts().size(), 2U);
}

TEST_F(PrivateDaemonTest, AMissingBinaryIsAConfigurationError) {
  PrivateDaemonSpec spec = Spec();
  spec.binary = dir_ / "tilewrightd";
  const auto daemon = EnsureDaemon(spec, {});
  EXPECT_EQ(daemon.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(daemon.status().message().find(spec.binary), std::string::npos);
}

TEST_F(PrivateDaemonTest, AnInterruptEndsTheWait) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(EnsureDaemon(Spec("hang"), stop.get_token()).status().code(), StatusCode::kCancelled);
}

TEST_F(PrivateDaemonTest, CreatesTheStoresFolder) {
  PrivateDaemonSpec spec = Spec("refuse");
  spec.store = dir_ / "new/deep/store.db";
  (void)EnsureDaemon(spec, {});
  EXPECT_TRUE(std::filesystem::is_directory(dir_ / "new/deep"));
}

}  // namespace
}  // namespace tw::cli
