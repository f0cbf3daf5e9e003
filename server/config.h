// Command line, configuration file and environment -> one validated Config.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "server/listen_address.h"
#include "server/log.h"

namespace tw {

// sysexits.h, as the command line's own exit codes.
enum class ExitCode : int {
  kOk = 0,
  kUsage = 64,
  kInternal = 70,
  kTryAgain = 75,  // another daemon holds the store or the socket
  kConfiguration = 78,
};

// What is read from the process's surroundings, once.
struct Environment {
  std::string xdg_runtime_dir;
  std::string xdg_data_home;
  std::string home;
  std::string binary_dir;  // of this executable
  unsigned uid = 0;
  int cores = 1;
};

Environment ReadEnvironment();

struct GpuConfig {
  bool enabled = true;             // false: --gpus none
  std::vector<std::string> uuids;  // empty: all
  std::string fake_script;         // tests: simulated GPU
};

struct WorkerConfig {
  std::string binary;                  // tilewright-worker
  int compile_children = 0;            // 0: cores - 1 beside a GPU, else cores; at least 1
  std::vector<std::string> cuda_dirs;  // toolkit or library directories, in this order
};

// How a starter learns that the daemon serves.
struct ReadyConfig {
  int fd = -1;            // gets the line "ready" and is closed
  std::string port_file;  // gets the addresses, one a line
};

struct Config {
  std::vector<ListenAddress> listen;  // at least one
  std::string store;                  // absolute
  GpuConfig gpus;
  WorkerConfig workers;
  std::string template_dir;                       // empty: the embedded templates
  std::optional<std::chrono::seconds> idle_exit;  // unset: stays
  LogLevel log_level = LogLevel::kInfo;
  ReadyConfig ready;
  int cores = 1;
};

// The process is to end here: --help, --version, or an error in one line.
struct EarlyExit {
  ExitCode code = ExitCode::kOk;
  std::string text;
};

std::variant<Config, EarlyExit> ParseConfig(int argc,
                                            const char* const* argv,
                                            const Environment& environment);

// Compile children for this many cores.
int CompileChildren(const Config& config, bool beside_gpu);

// The socket of a store's daemon, where the command line looks for it: named after the store, in
// $XDG_RUNTIME_DIR/tilewright, or in /tmp/tilewright-UID. Requires: `store` is canonical.
std::string DefaultSocket(const std::string& store, const Environment& environment);

ExitCode ExitCodeOf(const Status& status);

}  // namespace tw
