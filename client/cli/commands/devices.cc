// SPDX-License-Identifier: Apache-2.0
#include "client/cli/commands/devices.h"

#include <ostream>

#include <CLI/App.hpp>

#include "client/cli/connection.h"
#include "client/cli/render.h"
#include "client/cli/render_json.h"
#include "client/cli/server.h"

namespace tw::cli {
namespace {

Result<v1::ListDevicesResponse> Ask(const Context& context) {
  TW_ASSIGN_OR_RETURN(AddressSource source, ChooseServer(context));
  return Connection(std::move(source)).ListDevices();
}

ExitCode Run(const Context& context) {
  const Result<v1::ListDevicesResponse> answer = Ask(context);
  if (!answer.ok()) {
    return Fail(context, answer.status());
  }
  context.out << (context.flags.json ? DevicesJson(*answer) : DevicesText(*answer));
  return ExitCode::kOk;
}

}  // namespace

void AddDevicesCommand(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("devices", "the GPUs that the daemon sees");
  command->callback([&context] { context.action = [&context] { return Run(context); }; });
}

}  // namespace tw::cli
