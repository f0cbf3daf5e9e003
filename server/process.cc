// SPDX-License-Identifier: Apache-2.0
#include "server/process.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace tw {
namespace {

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

Status CannotWrite(const std::string& what) {
  return {StatusCode::kFailedPrecondition, what + ": " + std::strerror(errno)};
}

}  // namespace

void BlockStopSignals() {
  const sigset_t signals = StopSignals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

bool AwaitStopSignal(std::chrono::milliseconds timeout) {
  const sigset_t signals = StopSignals();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  timespec limit{};
  limit.tv_sec = seconds.count();
  limit.tv_nsec = std::chrono::nanoseconds(timeout - seconds).count();
  return ::sigtimedwait(&signals, nullptr, &limit) > 0;
}

Status PrepareProcess() {
  constexpr rlim_t kLeastFiles = 4096;
  ::umask(S_IRWXG | S_IRWXO);
  ::signal(SIGPIPE, SIG_IGN);
  const rlimit no_core{0, 0};
  if (::setrlimit(RLIMIT_CORE, &no_core) != 0)
    return CannotWrite("RLIMIT_CORE");
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0)
    return CannotWrite("RLIMIT_NOFILE");
  files.rlim_cur = files.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &files) != 0)
    return CannotWrite("RLIMIT_NOFILE");
  if (files.rlim_max < kLeastFiles)
    return {StatusCode::kFailedPrecondition,
            "at most " + std::to_string(files.rlim_max) +
                " open files are allowed (ulimit -Hn); 4096 are needed"};
  return OkStatus();
}

Status AnnounceReady(const ReadyConfig& ready, const std::vector<ListenAddress>& addresses) {
  if (!ready.port_file.empty()) {
    // Renamed into place: a reader sees the whole file or none.
    const std::string partial = ready.port_file + ".tmp";
    std::ofstream file(partial, std::ios::trunc);
    for (const ListenAddress& address : addresses)
      file << address.Text() << '\n';
    file.close();
    std::error_code error;
    std::filesystem::rename(partial, ready.port_file, error);
    if (!file || error)
      return {StatusCode::kFailedPrecondition, "cannot write --port-file " + ready.port_file};
  }
  if (ready.fd >= 0) {
    constexpr std::string_view kLine = "ready\n";
    if (::write(ready.fd, kLine.data(), kLine.size()) < 0)
      return CannotWrite("--ready-fd " + std::to_string(ready.fd));
    ::close(ready.fd);
  }
  return OkStatus();
}

}  // namespace tw
