// SPDX-License-Identifier: Apache-2.0
#include "client/cli/commands/version.h"

#include <ostream>

#include <CLI/App.hpp>

#include "client/cli/connection.h"
#include "client/cli/render_json.h"

namespace tw::cli {
namespace {

BuildInfo ThisBuild() {
  return {.version = TW_VERSION,
          .build_type = TW_BUILD_TYPE,
          .compiler = TW_COMPILER,
          .rpc_library = RpcLibraryVersion()};
}

ExitCode Run(const Context& context) {
  const BuildInfo info = ThisBuild();
  if (context.flags.json) {
    context.out << VersionJson(info);
  } else {
    context.out << "tilewright " << info.version << " (" << info.build_type << ", " << info.compiler
                << ", " << info.rpc_library << ")\n";
  }
  return ExitCode::kOk;
}

}  // namespace

void AddVersionCommand(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("version", "this build; asks no daemon");
  command->callback([&context] { context.action = [&context] { return Run(context); }; });
}

}  // namespace tw::cli
