// SPDX-License-Identifier: Apache-2.0
#include "client/cli/commands/status.h"

#include <ostream>

#include <CLI/App.hpp>

#include "client/cli/connection.h"
#include "client/cli/render.h"
#include "client/cli/render_json.h"
#include "client/cli/server.h"

namespace tw::cli {
namespace {

Result<v1::GetStatusResponse> Ask(const Context& context) {
  TW_ASSIGN_OR_RETURN(AddressSource source, ChooseServer(context));
  return Connection(std::move(source)).GetStatus();
}

ExitCode Run(const Context& context) {
  const Result<v1::GetStatusResponse> answer = Ask(context);
  if (!answer.ok()) {
    return Fail(context, answer.status());
  }
  context.out << (context.flags.json ? StatusJson(*answer) : StatusText(*answer));
  return ExitCode::kOk;
}

}  // namespace

void AddStatusCommand(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("status", "the daemon, its store and its queue");
  command->callback([&context] { context.action = [&context] { return Run(context); }; });
}

}  // namespace tw::cli
