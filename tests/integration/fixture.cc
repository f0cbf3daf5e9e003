// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/fixture.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "client/cli/private_daemon.h"

namespace tw::integration {
namespace {

constexpr std::chrono::seconds kCommandLimit{240};
constexpr std::chrono::seconds kJobLimit{240};
constexpr std::chrono::milliseconds kStopLimit{35'000};

}  // namespace

Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

void IntegrationTest::SetUp() {
  for (const char* name : {"TILEWRIGHT_SERVER", "TILEWRIGHT_STORE", "XDG_DATA_HOME"}) {
    ::unsetenv(name);
  }
  ::setenv("HOME", dir_.path().c_str(), 1);
  ::setenv("XDG_RUNTIME_DIR", dir_.path().c_str(), 1);
  UseNewStore();
}

void IntegrationTest::TearDown() {
  if (HasFailure()) {
    for (const char* suffix : {".1", ""}) {
      const std::string log = Paths().log + suffix;
      std::fprintf(stderr, "---- %s\n%s----\n", log.c_str(), ReadFile(log).c_str());
    }
  }
  StopDaemon();
}

bool IntegrationTest::HasCompiler() {
  const Json doctor = Json::parse(Run({"doctor", "--json"}).out, nullptr, false);
  if (!doctor.is_object() || !doctor.contains("checks")) {
    return false;
  }
  for (const Json& check : doctor["checks"]) {
    if (check["name"] == "compiler") {
      return check["level"] == "ok";
    }
  }
  return false;
}

void IntegrationTest::UseFakeGpu(const std::string& script) {
  flags_ = {"--fake-gpu", script.empty() ? "{}" : script};
}

void IntegrationTest::UseNoGpu() {
  flags_ = {"--gpus", "none"};
}

void IntegrationTest::UseNewStore() {
  if (!store_.empty()) {
    StopDaemon();
  }
  store_ = dir_ / ("store" + std::to_string(++stores_) + ".db");
}

Process IntegrationTest::Start(const Words& words) {
  const std::string prefix = dir_ / ("command" + std::to_string(++commands_));
  const Words command = {std::string(TW_BIN_DIR) + "/tilewright", "--store", store_};
  return {command + flags_ + words, prefix};
}

Finished IntegrationTest::Run(const Words& words) {
  auto finished = Start(words).Wait(kCommandLimit);
  if (!finished) {
    ADD_FAILURE() << "hangs: " << testing::PrintToString(words);
    return {};
  }
  return *finished;
}

Json IntegrationTest::RunJson(const Words& words, int exit_code) {
  const Finished finished = Run(words + Words{"--json"});
  EXPECT_EQ(finished.exit_code, exit_code) << testing::PrintToString(words) << "\n" << finished.err;
  Json json = Json::parse(finished.out, nullptr, false);
  if (!json.is_object()) {
    ADD_FAILURE() << "no JSON object: " << finished.out << finished.err;
    return Json::object();
  }
  return json;
}

bool IntegrationTest::AwaitJob(const std::function<bool(const Json&)>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kJobLimit;
  while (std::chrono::steady_clock::now() < deadline) {
    if (!DaemonAnswers()) {
      continue;  // about to be started by the command under test
    }
    const Json jobs = Json::parse(Run({"jobs", "--json"}).out, nullptr, false);
    if (!jobs.is_object() || !jobs.contains("jobs") || jobs["jobs"].empty()) {
      continue;
    }
    const Json& job = jobs["jobs"].front();
    if (condition(job)) {
      return true;
    }
    if (job["state"] != "QUEUED" && job["state"] != "RUNNING") {
      ADD_FAILURE() << "the job ended first: " << job;
      return false;
    }
  }
  return false;
}

cli::DaemonPaths IntegrationTest::Paths() const {
  cli::Environment env;
  env.xdg_runtime_dir = dir_.path();
  env.uid = ::geteuid();
  return cli::PathsOf(cli::StorePath(store_, env).value(), env);
}

bool IntegrationTest::DaemonAnswers() const {
  return cli::SocketAnswers(Paths().socket);
}

pid_t IntegrationTest::DaemonPid() {
  if (!DaemonAnswers()) {
    return 0;
  }
  const Json status = Json::parse(Run({"status", "--json"}).out, nullptr, false);
  return status.is_object() ? status.value("pid", 0) : 0;
}

bool IntegrationTest::DaemonWasRestarted() const {
  return std::filesystem::exists(Paths().log + ".1");
}

void IntegrationTest::StopDaemon() {
  const pid_t pid = DaemonPid();
  if (pid <= 0) {
    return;
  }
  ::kill(pid, SIGTERM);
  if (!AwaitEnd(pid, kStopLimit)) {
    ADD_FAILURE() << "the daemon does not stop on SIGTERM";
    ::kill(pid, SIGKILL);
  }
}

}  // namespace tw::integration
