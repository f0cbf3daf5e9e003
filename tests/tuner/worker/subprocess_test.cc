#include "tuner/worker/subprocess.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <thread>

#include <gtest/gtest.h>

#include "tests/tuner/worker/proc.h"
#include "tuner/worker/compile_pool.h"
#include "tuner/worker/spawner.h"

namespace tw {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{30'000};

// A shell that runs `script`; the arguments that Start adds are its $0 and $1.
Result<std::unique_ptr<Subprocess>> Shell(const std::string& script,
                                          std::vector<std::string> environment = {}) {
  return Subprocess::Start(
      {.file = "/bin/sh", .args = {"-c", script}, .environment = std::move(environment)});
}

SubprocessOptions WorkerOptions() {
  return {.file = std::string(TW_BIN_DIR) + "/tilewright-worker",
          .args = {"--role=compile", "--fake-compile=ok"}};
}

Result<std::unique_ptr<Subprocess>> Worker() {
  return Subprocess::Start(WorkerOptions());
}

// Waits until a worker has confined itself: it then sits in an empty directory.
bool IsAtWork(pid_t pid) {
  return test::Eventually([&] {
    std::error_code ignored;
    const auto cwd =
        std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/cwd", ignored);
    return cwd.string().find("(deleted)") != std::string::npos;
  });
}

std::string ReadAll(int socket) {
  std::string text;
  std::array<char, 256> buffer{};
  for (;;) {
    const ssize_t got = recv(socket, buffer.data(), buffer.size(), 0);
    if (got <= 0)
      return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

TEST(Subprocess, TalksOverDescriptorThree) {
  auto process = Shell("read line <&3; echo \"got $line $0 $1\" >&3");
  ASSERT_TRUE(process.ok()) << process.status().ToString();
  ASSERT_EQ(send((*process)->socket(), "hello\n", 6, MSG_NOSIGNAL), 6);
  EXPECT_EQ(ReadAll((*process)->socket()),
            "got hello --fd=3 --parent-pid=" + std::to_string(getpid()) + "\n");
  const auto state = (*process)->Wait(kLong);
  ASSERT_TRUE(state);
  EXPECT_EQ(Text(*state), "exited with code 0");
}

TEST(Subprocess, SaysHowItEnded) {
  auto exited = Shell("exit 3");
  ASSERT_TRUE(exited.ok());
  EXPECT_EQ(Text(*(*exited)->Wait(kLong)), "exited with code 3");
  EXPECT_EQ(Text(*(*exited)->Wait(milliseconds(0))), "exited with code 3") << "again";
  auto killed = Shell("kill -SEGV $$");
  ASSERT_TRUE(killed.ok());
  EXPECT_EQ(Text(*(*killed)->Wait(kLong)), "killed by signal 11 (SEGV)");
}

TEST(Subprocess, WaitHasALimitAndKillNeedsNoConsent) {
  auto process = Shell("trap '' TERM INT HUP; echo ready >&3; while :; do read x <&3; done");
  ASSERT_TRUE(process.ok());
  std::array<char, 6> ready{};
  ASSERT_EQ(recv((*process)->socket(), ready.data(), ready.size(), MSG_WAITALL), 6);
  EXPECT_FALSE((*process)->Wait(milliseconds(10)));
  ASSERT_EQ(kill((*process)->pid(), SIGTERM), 0);
  EXPECT_FALSE((*process)->Wait(milliseconds(10)));
  (*process)->Kill();
  EXPECT_EQ(Text(*(*process)->Wait(kLong)), "killed by signal 9 (KILL)");
  (*process)->Kill();  // harmless
}

TEST(Subprocess, DestructorKillsAndReaps) {
  pid_t pid = 0;
  {
    auto process = Shell("while :; do :; done");
    ASSERT_TRUE(process.ok());
    pid = (*process)->pid();
    EXPECT_TRUE(test::IsRunning(pid));
  }
  EXPECT_EQ(test::StatOf(pid).parent, 0) << "not even a zombie";
}

TEST(Subprocess, MissingFileIsUnavailableAndNamesIt) {
  const auto process = Subprocess::Start({.file = "/nonexistent/worker"});
  ASSERT_FALSE(process.ok());
  EXPECT_EQ(process.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(process.status().message().find("/nonexistent/worker"), std::string::npos);
  EXPECT_TRUE(test::ChildrenOf(getpid()).empty());
}

TEST(Subprocess, EnvironmentIsInheritedAndOverridden) {
  ASSERT_EQ(setenv("TW_TEST_KEPT", "kept", 1), 0);
  ASSERT_EQ(setenv("TW_TEST_CHANGED", "old", 1), 0);
  auto process = Shell("echo $TW_TEST_KEPT $TW_TEST_CHANGED $TW_TEST_NEW >&3",
                       {"TW_TEST_CHANGED=new", "TW_TEST_NEW=a b"});
  ASSERT_TRUE(process.ok());
  EXPECT_EQ(ReadAll((*process)->socket()), "kept new a b\n");
}

TEST(Subprocess, InheritsNoDescriptorAndNoSignalMask) {
  const int inheritable = dup(0);  // not close-on-exec
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  auto process = Worker();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(process.ok());
  ASSERT_TRUE(IsAtWork((*process)->pid()));
  std::vector<int> numbers;
  for (const auto& [number, target] : test::DescriptorsOf((*process)->pid()))
    numbers.push_back(number);
  EXPECT_EQ(numbers, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(test::DescriptorsOf((*process)->pid()).at(0), "/dev/null");
  EXPECT_NE(test::ReadProc((*process)->pid(), "status").find("SigBlk:\t0000000000000000"),
            std::string::npos);
  EXPECT_EQ(getpgid((*process)->pid()), (*process)->pid());
  close(inheritable);
}

TEST(Subprocess, OurEndIsNotInheritedByOthers) {
  auto first = Shell("read x <&3");
  ASSERT_TRUE(first.ok());
  auto second = Shell("read x <&3");
  ASSERT_TRUE(second.ok());
  const std::string ours = test::DescriptorsOf(getpid()).at((*first)->socket());
  for (const auto& [descriptor, target] : test::DescriptorsOf((*second)->pid()))
    EXPECT_NE(target, ours) << descriptor;
  // The first sees its socket close although the second still runs.
  shutdown((*first)->socket(), SHUT_RDWR);
  EXPECT_TRUE((*first)->Wait(kLong));
}

TEST(Spawner, ChildOutlivesTheThreadThatAskedForIt) {
  Spawner spawner;
  std::unique_ptr<Subprocess> process;
  std::thread([&] {
    auto started = spawner.Start(WorkerOptions());
    ASSERT_TRUE(started.ok());
    process = *std::move(started);
  }).join();
  ASSERT_NE(process, nullptr);
  ASSERT_TRUE(IsAtWork(process->pid()));  // it has asked for the death signal before
  EXPECT_FALSE(process->Wait(milliseconds(20)));
}

TEST(Spawner, ManyThreadsAtOnce) {
  Spawner spawner;
  const auto start_five = [&] {
    for (int i = 0; i < 5; ++i) {
      auto process = spawner.Start({.file = "/bin/sh", .args = {"-c", "exit 5"}});
      ASSERT_TRUE(process.ok());
      EXPECT_EQ(Text(*(*process)->Wait(kLong)), "exited with code 5");
    }
  };
  std::vector<std::jthread> threads(4);
  for (std::jthread& thread : threads)
    thread = std::jthread(start_five);
}

// Two ends of one story: the daemon is killed, and its busy child, which looks at no socket, goes
// with it.
TEST(Orphans, DieWithTheParentEvenWhenBusy) {
  const pid_t parent = fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    CompilePoolOptions options;
    options.worker_path = std::string(TW_BIN_DIR) + "/tilewright-worker";
    options.extra_args = {"--fake-compile=hang"};
    CompilePool pool(options);
    const auto never = pool.Compile(
        {.entry = "probe", .text = "", .arch = "sm_80", .options = {}, .digest = ""}, {});
    _exit(never.ok() ? 0 : 1);
  }
  std::vector<pid_t> workers;
  EXPECT_TRUE(test::Eventually([&] {
    workers = test::ChildrenOf(parent);
    return !workers.empty() && test::StatOf(workers[0]).state == 'S' &&
           test::DescriptorsOf(workers[0]).size() == 4;
  }));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  ASSERT_EQ(workers.size(), 1U);
  EXPECT_TRUE(test::Eventually([&] { return !test::IsRunning(workers[0]); }));
}

TEST(Orphans, ParentThatIsGoneAlreadyIsNoticed) {
  // Under a shell: its parent is not the pid that it is told.
  auto process = Shell("\"" TW_BIN_DIR
                       "/tilewright-worker\" --role=compile --fd=3 --parent-pid=1; echo $? >&3");
  ASSERT_TRUE(process.ok());
  EXPECT_EQ(ReadAll((*process)->socket()), "1\n");
}

}  // namespace
}  // namespace tw
