// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "codegen/core/check.h"

extern char** environ;

namespace tw::integration {

Process::Process(const std::vector<std::string>& words, const std::string& prefix)
    : prefix_(prefix) {
  std::vector<std::string> copies = words;
  std::vector<char*> argv;
  argv.reserve(copies.size() + 1);
  for (std::string& word : copies) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, (prefix + ".out").c_str(), kFlags,
                                   0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, (prefix + ".err").c_str(), kFlags,
                                   0600);
  // A test that runs in a shell's background was given SIGINT ignored, which commands respect.
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error =
      posix_spawn(&pid_, words.front().c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  TW_CHECK(error == 0);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), prefix_(std::move(other.prefix_)) {}

Process::~Process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

void Process::Signal(int signal) const {
  TW_CHECK(pid_ > 0);
  ::kill(pid_, signal);
}

std::optional<Finished> Process::Wait(std::chrono::seconds limit) {
  const bool ended = AwaitEnd(pid_, limit);
  if (!ended) {
    ::kill(pid_, SIGKILL);
  }
  int status = 0;
  TW_CHECK(::waitpid(std::exchange(pid_, -1), &status, 0) > 0);
  if (!ended) {
    return std::nullopt;
  }
  return Finished{.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                  .out = ReadFile(prefix_ + ".out"),
                  .err = ReadFile(prefix_ + ".err")};
}

bool AwaitEnd(pid_t pid, std::chrono::milliseconds limit) {
  const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) {
    return errno == ESRCH;
  }
  pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
  const int ready = ::poll(&waiting, 1, static_cast<int>(limit.count()));
  ::close(fd);
  return ready == 1;
}

std::vector<pid_t> ChildrenOf(pid_t parent, const std::string& word) {
  std::vector<pid_t> found;
  const std::string tasks = "/proc/" + std::to_string(parent) + "/task";
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) {
      const std::string line = ReadFile("/proc/" + std::to_string(child) + "/cmdline");
      if (line.find(word) != std::string::npos) {
        found.push_back(child);
      }
    }
  }
  return found;
}

std::string ReadFile(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace tw::integration
