// A store, a runtime folder and the binaries of this build: what one integration test works with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "client/cli/daemon_paths.h"
#include "tests/fakes/temp_dir.h"
#include "tests/integration/process.h"

namespace tw::integration {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

// Small enough for the fake GPU to multiply for real.
inline const Words kSmall = {"-m", "48", "-n", "40", "-k", "32", "--dtype", "f32"};

inline constexpr const char* kNoCompiler = "SKIPPED: the daemon finds no NVRTC here";

Words operator+(Words left, const Words& right);

class IntegrationTest : public testing::Test {
 protected:
  // Every later command belongs to this test's store; nothing is taken from the user's
  // surroundings.
  void SetUp() override;
  void TearDown() override;

  // Candidates are really compiled: without NVRTC there is nothing to test.
  bool HasCompiler();

  // Flags of every command: a simulated GPU with this script ("" : all candidates are right).
  void UseFakeGpu(const std::string& script);
  void UseNoGpu();

  Process Start(const Words& words);
  Finished Run(const Words& words);

  // Runs with --json and expects `exit_code` and one object.
  Json RunJson(const Words& words, int exit_code = 0);

  // Polls `tilewright jobs` until the newest job fulfils `condition`. False where it ends
  // without, or after some minutes.
  bool AwaitJob(const std::function<bool(const Json&)>& condition);

  // 0 where none runs.
  [[nodiscard]] pid_t DaemonPid();
  [[nodiscard]] bool DaemonAnswers() const;

  // More than one daemon was started over the store so far.
  [[nodiscard]] bool DaemonWasRestarted() const;

  // Another, empty store with a daemon of its own from here on.
  void UseNewStore();

  fakes::TempDir dir_;

 private:
  [[nodiscard]] cli::DaemonPaths Paths() const;
  void StopDaemon();

  std::string store_;
  Words flags_;
  int commands_ = 0;
  int stores_ = 0;
};

}  // namespace tw::integration
