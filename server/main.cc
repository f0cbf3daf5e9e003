// tilewrightd.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>

#include "server/config.h"
#include "server/daemon.h"
#include "server/log.h"
#include "server/process.h"

namespace {

constexpr std::chrono::milliseconds kPoll{250};
constexpr std::chrono::seconds kDrainLimit{25};  // supervisors kill at 30

int Fail(const tw::Status& status) {
  std::fprintf(stderr, "tilewrightd: %s\n", status.message().c_str());
  return static_cast<int>(tw::ExitCodeOf(status));
}

// Until a signal, or nobody needs the daemon any more. Returns why.
const char* AwaitEnd(const tw::Config& config, const tw::Daemon& daemon) {
  for (;;) {
    if (tw::AwaitStopSignal(kPoll))
      return "signal";
    if (config.idle_exit && daemon.IdleFor() >= *config.idle_exit)
      return "idle";
  }
}

// The whole state is on disk at any time, so leaving at once loses no result.
void LeaveWhenImpatient(const std::stop_token& stopped) {
  const auto limit = std::chrono::steady_clock::now() + kDrainLimit;
  while (!stopped.stop_requested()) {
    if (tw::AwaitStopSignal(kPoll) || std::chrono::steady_clock::now() > limit)
      ::_exit(static_cast<int>(tw::ExitCode::kOk));
  }
}

int Run(int argc, char** argv) {
  tw::BlockStopSignals();
  const auto parsed = tw::ParseConfig(argc, argv, tw::ReadEnvironment());
  if (const auto* exit = std::get_if<tw::EarlyExit>(&parsed)) {
    const bool ok = exit->code == tw::ExitCode::kOk;
    std::fprintf(ok ? stdout : stderr, "%s%s\n", ok ? "" : "tilewrightd: ", exit->text.c_str());
    return static_cast<int>(exit->code);
  }
  const tw::Config& config = std::get<tw::Config>(parsed);
  if (const tw::Status status = tw::PrepareProcess(); !status.ok())
    return Fail(status);
  const tw::Log log(config.log_level);
  auto daemon = tw::Daemon::Start(config, log);
  if (!daemon.ok())
    return Fail(daemon.status());
  if (const tw::Status status = tw::AnnounceReady(config.ready, (*daemon)->addresses());
      !status.ok())
    return Fail(status);
  log.Write(tw::LogLevel::kInfo, {{"event", "stopping"}, {"reason", AwaitEnd(config, **daemon)}});
  const std::jthread watchdog([](const std::stop_token& stopped) { LeaveWhenImpatient(stopped); });
  (*daemon)->Stop();
  return static_cast<int>(tw::ExitCode::kOk);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {  // out of memory or of threads
    std::fprintf(stderr, "tilewrightd: %s\n", error.what());
    return static_cast<int>(tw::ExitCode::kInternal);
  }
}
