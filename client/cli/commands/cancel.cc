// SPDX-License-Identifier: Apache-2.0
#include "client/cli/commands/cancel.h"

#include <memory>
#include <ostream>

#include <CLI/App.hpp>

#include "client/cli/connection.h"
#include "client/cli/render_json.h"
#include "client/cli/server.h"

namespace tw::cli {
namespace {

constexpr std::string_view kPrefix = "operations/";

Result<v1::Operation> Ask(const Context& context, const std::string& name) {
  TW_ASSIGN_OR_RETURN(AddressSource source, ChooseServer(context));
  v1::CancelOperationRequest request;
  request.set_name(name.starts_with(kPrefix) ? name : std::string(kPrefix) + name);
  return Connection(std::move(source)).CancelOperation(request);
}

ExitCode Run(const Context& context, const std::string& name) {
  const Result<v1::Operation> operation = Ask(context, name);
  if (!operation.ok()) {
    return Fail(context, operation.status());
  }
  if (context.flags.json) {
    context.out << JobJson(*operation);
  } else {
    context.out << operation->name() << " " << Name(operation->state()) << "\n";
  }
  return ExitCode::kOk;
}

}  // namespace

void AddCancelCommand(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("cancel", "end a job, for everybody who waits for it");
  const auto name = std::make_shared<std::string>();  // shared: the copyable callbacks own it
  command->add_option("name", *name, "as tilewright jobs shows it")->required();
  command->callback(
      [&context, name] { context.action = [&context, name] { return Run(context, *name); }; });
}

}  // namespace tw::cli
