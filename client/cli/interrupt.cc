// SPDX-License-Identifier: Apache-2.0
#include "client/cli/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "client/cli/exit_codes.h"
#include "codegen/core/check.h"

namespace tw::cli {
namespace {

sigset_t WatchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction current {};

    if (sigaction(signal, nullptr, &current) == 0 && current.sa_handler != SIG_IGN) {
      sigaddset(&set, signal);
    }
  }
  return set;
}

}  // namespace

InterruptWatch::InterruptWatch() {
  const sigset_t set = WatchedSignals();
  TW_CHECK(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
  signals_ = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC));
  wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
  TW_CHECK(signals_.ok() && wake_.ok());
  thread_ = std::jthread([this] { Watch(); });
}

InterruptWatch::~InterruptWatch() {
  const std::uint64_t one = 1;
  TW_CHECK(::write(wake_.get(), &one, sizeof(one)) == sizeof(one));
}

void InterruptWatch::Watch() {
  std::array<pollfd, 2> waiting{{{signals_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
  while (true) {
    if (::poll(waiting.data(), waiting.size(), -1) < 0) {
      TW_CHECK(errno == EINTR);
      continue;
    }
    if (waiting[1].revents != 0) {
      return;
    }
    signalfd_siginfo info{};
    TW_CHECK(::read(signals_.get(), &info, sizeof(info)) == sizeof(info));
    if (source_.stop_requested()) {
      ::_exit(static_cast<int>(ExitCode::kInterrupted));
    }
    source_.request_stop();
  }
}

}  // namespace tw::cli
