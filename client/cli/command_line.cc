// SPDX-License-Identifier: Apache-2.0
#include "client/cli/command_line.h"

#include <algorithm>
#include <ostream>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "client/cli/commands/bench.h"
#include "client/cli/commands/calibrate.h"
#include "client/cli/commands/cancel.h"
#include "client/cli/commands/devices.h"
#include "client/cli/commands/doctor.h"
#include "client/cli/commands/explain.h"
#include "client/cli/commands/jobs.h"
#include "client/cli/commands/lookup.h"
#include "client/cli/commands/source.h"
#include "client/cli/commands/status.h"
#include "client/cli/commands/tune.h"
#include "client/cli/commands/version.h"

namespace tw::cli {
namespace {

constexpr const char* kDaemonGroup = "On-demand daemon";
constexpr const char* kHidden = "";

void AddGlobalFlags(CLI::App& app, GlobalFlags& flags) {
  app.add_option("--server", flags.server, "unix:PATH or HOST:PORT (or TILEWRIGHT_SERVER)");
  app.add_flag("--json", flags.json, "one documented JSON object on standard output");
  app.add_flag("--quiet", flags.quiet, "no progress and no notes on standard error");
  app.add_option("--store", flags.store, "store of the on-demand daemon (or TILEWRIGHT_STORE)")
      ->group(kDaemonGroup);
  app.add_option("--gpus", flags.gpus, "all (default), none, or UUIDs with commas between")
      ->group(kDaemonGroup);
  app.add_option("--cuda-dir", flags.cuda_dir, "folder of the CUDA toolkit")->group(kDaemonGroup);
  app.add_option("--idle-exit", flags.idle_exit_s, "seconds without work before it ends")
      ->capture_default_str()
      ->check(CLI::Range(1, 86'400))
      ->group(kDaemonGroup);
  app.add_option("--fake-gpu", flags.fake_gpu, "script of a simulated GPU")->group(kHidden);
}

void AddCommands(CLI::App& app, Context& context) {
  // Inherited: global flags may also follow the command.
  app.fallthrough();
  AddTuneCommand(app, context);
  AddBenchCommand(app, context);
  AddLookupCommand(app, context);
  AddExplainCommand(app, context);
  AddSourceCommand(app, context);
  AddDevicesCommand(app, context);
  AddCalibrateCommand(app, context);
  AddStatusCommand(app, context);
  AddJobsCommand(app, context);
  AddCancelCommand(app, context);
  AddDoctorCommand(app, context);
  AddVersionCommand(app, context);
  app.require_subcommand(1);
}

std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

ExitCode RunCommandLine(std::span<const std::string> arguments, Context& context) {
  CLI::App app("Finds, verifies and measures the fastest GEMM kernel for a problem and a GPU.",
               "tilewright");
  app.set_version_flag("--version", TW_VERSION);
  AddGlobalFlags(app, context.flags);
  AddCommands(app, context);
  // CLI11 takes them last first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error, context.out, context.err);
      return ExitCode::kOk;
    }
    return Fail(context, {StatusCode::kInvalidArgument,
                          FirstLine(error.what()) + " (tilewright --help shows the usage)"});
  }
  return context.action();
}

}  // namespace tw::cli
