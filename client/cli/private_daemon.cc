// SPDX-License-Identifier: Apache-2.0
#include "client/cli/private_daemon.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

#include "client/cli/daemon_process.h"
#include "client/cli/exit_codes.h"
#include "client/cli/unique_fd.h"

namespace tw::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLockStep{20};
constexpr std::chrono::milliseconds kStoreStep{200};
constexpr int kLogLines = 10;

std::string ArgumentText(const PrivateDaemonSpec& spec) {
  std::string text;
  for (const std::string& argument : spec.arguments) {
    text.append(argument).append("\n");
  }
  return text;
}

RunningDaemon Found(const PrivateDaemonSpec& spec) {
  std::stringstream started_with;
  started_with << std::ifstream(spec.paths.arguments).rdbuf();
  return {.address = "unix:" + spec.paths.socket,
          .other_options = started_with.str() != ArgumentText(spec)};
}

Status CreateStoreFolder(const std::string& store) {
  std::error_code error;
  const auto folder = std::filesystem::path(store).parent_path();
  std::filesystem::create_directories(folder, error);
  if (error) {
    return {StatusCode::kFailedPrecondition,
            "store " + store + ": cannot create " + folder.string() + ": " + error.message()};
  }
  return OkStatus();
}

// Polls, so that an interrupt or a hung starter does not leave the caller waiting for ever.
Result<UniqueFd> TakeSpawnLock(const PrivateDaemonSpec& spec, const std::stop_token& stop) {
  UniqueFd lock(::open(spec.paths.lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                       S_IRUSR | S_IWUSR));
  if (!lock.ok()) {
    return Status(StatusCode::kFailedPrecondition, spec.paths.lock + ": " + std::strerror(errno));
  }
  const auto deadline = Clock::now() + spec.start_limit + spec.store_limit;
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (stop.stop_requested()) {
      return Status(StatusCode::kCancelled, "interrupted while the daemon was starting");
    }
    if (Clock::now() > deadline) {
      return Status(
          StatusCode::kUnavailable,
          "another command has been starting a daemon for too long (" + spec.paths.lock + ")");
    }
    std::this_thread::sleep_for(kLockStep);
  }
  return lock;
}

// The daemon ended before it served.
Status Explain(const PrivateDaemonSpec& spec, const std::optional<int>& exit_status) {
  const std::string log =
      LastLines(spec.paths.log, kLogLines, "  ") + "\n(log: " + spec.paths.log + ")";
  if (!exit_status) {
    return {StatusCode::kUnavailable, "the daemon was not ready in time; its last lines:" + log};
  }
  if (WIFEXITED(*exit_status)) {
    const int code = WEXITSTATUS(*exit_status);
    if (code == static_cast<int>(ExitCode::kTryAgain)) {
      return {StatusCode::kAborted, "another daemon holds the store " + spec.store +
                                        "; give its address with --server, or stop it"};
    }
    if (code == static_cast<int>(ExitCode::kConfiguration)) {
      return {StatusCode::kFailedPrecondition, "the daemon refused to start:" + log};
    }
    return {StatusCode::kUnavailable,
            "the daemon ended with status " + std::to_string(code) + "; its last lines:" + log};
  }
  return {StatusCode::kUnavailable, "the daemon was killed by signal " +
                                        std::to_string(WTERMSIG(*exit_status)) +
                                        "; its last lines:" + log};
}

Status StartOnce(const PrivateDaemonSpec& spec, const std::stop_token& stop) {
  DaemonCommand command{.binary = spec.binary,
                        .arguments = {"--listen=unix:" + spec.paths.socket, "--store=" + spec.store,
                                      "--idle-exit=" + std::to_string(spec.idle_exit_s)},
                        .log = spec.paths.log};
  command.arguments.insert(command.arguments.end(), spec.arguments.begin(), spec.arguments.end());
  std::ofstream(spec.paths.arguments, std::ios::trunc) << ArgumentText(spec);
  TW_ASSIGN_OR_RETURN(const StartOutcome outcome, StartDaemon(command, spec.start_limit, stop));
  return outcome.ready ? OkStatus() : Explain(spec, outcome.exit_status);
}

}  // namespace

bool SocketAnswers(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof(address.sun_path)) {
    return false;
  }
  std::memcpy(address.sun_path, socket.c_str(), socket.size() + 1);
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // The one cast that the sockets interface asks for.
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  // EAGAIN: something listens and its queue is full.
  return fd.ok() && (::connect(fd.get(), generic, sizeof(address)) == 0 || errno == EAGAIN);
}

Result<RunningDaemon> EnsureDaemon(const PrivateDaemonSpec& spec, const std::stop_token& stop) {
  TW_RETURN_IF_ERROR(PrepareDirectory(spec.paths.directory, spec.uid));
  if (SocketAnswers(spec.paths.socket)) {
    return Found(spec);
  }
  TW_ASSIGN_OR_RETURN(const UniqueFd lock, TakeSpawnLock(spec, stop));
  TW_RETURN_IF_ERROR(CreateStoreFolder(spec.store));
  const auto deadline = Clock::now() + spec.store_limit;
  while (true) {
    if (SocketAnswers(spec.paths.socket)) {
      return Found(spec);
    }
    Status started = StartOnce(spec, stop);
    if (started.ok()) {
      return RunningDaemon{.address = "unix:" + spec.paths.socket, .other_options = false};
    }
    if (started.code() != StatusCode::kAborted || Clock::now() > deadline) {
      return started;
    }
    std::this_thread::sleep_for(kStoreStep);
  }
}

}  // namespace tw::cli
