// SPDX-License-Identifier: Apache-2.0
#include "client/cli/daemon_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <memory>

#include "client/cli/unique_fd.h"

extern char** environ;

namespace tw::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kReadyFd = 3;
constexpr std::chrono::milliseconds kPollStep{50};

Status CannotStart(const std::string& binary, int error) {
  return {StatusCode::kFailedPrecondition, "cannot start " + binary + ": " + std::strerror(error)};
}

class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }

  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  // Descriptors 0 to 3 are set, all others closed; own session; signals as at login.
  int Prepare(const std::string& log, int ready_fd) {
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    const int results[] = {
        posix_spawnattr_setflags(&attributes_,
                                 static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETSIGDEF)),
        posix_spawnattr_setsigmask(&attributes_, &none),
        posix_spawnattr_setsigdefault(&attributes_, &all),
        // First, before descriptor 3 could be anything else.
        posix_spawn_file_actions_adddup2(&actions_, ready_fd, kReadyFd),
        posix_spawn_file_actions_addclosefrom_np(&actions_, kReadyFd + 1),
        posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0),
        posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, log.c_str(),
                                         O_WRONLY | O_CREAT | O_APPEND, S_IRUSR | S_IWUSR),
        posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO),
        posix_spawn_file_actions_addchdir_np(&actions_, "/"),
    };
    for (const int result : results) {
      if (result != 0) {
        return result;
      }
    }
    return 0;
  }

  int Spawn(pid_t& pid, const DaemonCommand& command) {
    std::vector<std::string> words{command.binary};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    words.push_back("--ready-fd=" + std::to_string(kReadyFd));
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) {
      argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    return posix_spawn(&pid, command.binary.c_str(), &actions_, &attributes_, argv.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// True: the line came. False: the process closed the pipe. Empty: not yet.
std::optional<bool> ReadReady(int fd, std::string& text) {
  pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
  if (::poll(&waiting, 1, static_cast<int>(kPollStep.count())) <= 0) {
    return std::nullopt;
  }
  std::array<char, 64> buffer{};
  const ssize_t count = ::read(fd, buffer.data(), buffer.size());
  if (count < 0) {
    return errno == EINTR ? std::nullopt : std::optional(false);
  }
  if (count == 0) {
    return false;
  }
  text.append(buffer.data(), static_cast<std::size_t>(count));
  return text.find("ready\n") != std::string::npos ? std::optional(true) : std::nullopt;
}

int Reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

Result<StartOutcome> AwaitReady(pid_t pid,
                                int fd,
                                std::chrono::milliseconds limit,
                                const std::stop_token& stop) {
  const auto deadline = Clock::now() + limit;
  std::string text;
  while (Clock::now() < deadline) {
    if (stop.stop_requested()) {
      return Status(StatusCode::kCancelled, "interrupted while the daemon was starting");
    }
    const std::optional<bool> ready = ReadReady(fd, text);
    if (ready == true) {
      return StartOutcome{.ready = true, .exit_status = std::nullopt};
    }
    if (ready == false) {
      return StartOutcome{.ready = false, .exit_status = Reap(pid)};
    }
  }
  ::kill(pid, SIGKILL);
  Reap(pid);
  return StartOutcome{};
}

}  // namespace

Result<StartOutcome> StartDaemon(const DaemonCommand& command,
                                 std::chrono::milliseconds limit,
                                 const std::stop_token& stop) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return CannotStart(command.binary, errno);
  }
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  // Missing at the first start; a log that cannot be moved is appended to.
  static_cast<void>(std::rename(command.log.c_str(), (command.log + ".1").c_str()));
  SpawnSettings settings;
  pid_t pid = 0;
  int error = settings.Prepare(command.log, writer.get());
  if (error == 0) {
    error = settings.Spawn(pid, command);
  }
  if (error != 0) {
    return CannotStart(command.binary, error);
  }
  writer.Close();  // so that the daemon's end is the last one
  return AwaitReady(pid, reader.get(), limit, stop);
}

std::string LastLines(const std::string& file, int lines, const std::string& indent) {
  std::ifstream stream(file);
  std::deque<std::string> kept;
  for (std::string line; std::getline(stream, line);) {
    kept.push_back(line);
    if (kept.size() > static_cast<std::size_t>(lines)) {
      kept.pop_front();
    }
  }
  std::string text;
  for (const std::string& line : kept) {
    text.append("\n").append(indent).append(line);
  }
  return text;
}

}  // namespace tw::cli
