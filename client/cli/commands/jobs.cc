// SPDX-License-Identifier: Apache-2.0
#include "client/cli/commands/jobs.h"

#include <ostream>

#include <CLI/App.hpp>

#include "client/cli/connection.h"
#include "client/cli/render.h"
#include "client/cli/render_json.h"
#include "client/cli/server.h"

namespace tw::cli {
namespace {

Result<v1::ListOperationsResponse> Ask(const Context& context) {
  TW_ASSIGN_OR_RETURN(AddressSource source, ChooseServer(context));
  return Connection(std::move(source)).ListOperations();
}

ExitCode Run(const Context& context) {
  const Result<v1::ListOperationsResponse> answer = Ask(context);
  if (!answer.ok()) {
    return Fail(context, answer.status());
  }
  context.out << (context.flags.json ? JobsJson(*answer) : JobsText(*answer));
  return ExitCode::kOk;
}

}  // namespace

void AddJobsCommand(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("jobs", "tuning jobs, newest first");
  command->callback([&context] { context.action = [&context] { return Run(context); }; });
}

}  // namespace tw::cli
