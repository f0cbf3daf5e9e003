// SPDX-License-Identifier: Apache-2.0
#include "client/cli/commands/lookup.h"

#include <memory>
#include <ostream>

#include <CLI/App.hpp>

#include "client/cli/connection.h"
#include "client/cli/problem_flags.h"
#include "client/cli/problem_text.h"
#include "client/cli/render.h"
#include "client/cli/render_json.h"
#include "client/cli/server.h"

namespace tw::cli {
namespace {

struct Flags {
  ProblemFlags problem;
  bool require_measured = false;
};

ExitCode Miss(const Context& context, const v1::Key& key) {
  if (context.flags.json) {
    context.out << LookupMissJson(key);
  }
  Note(context, "no result is stored for " + ProblemText(key) + "; tilewright tune finds one");
  return ExitCode::kMiss;
}

Result<v1::GetConfigResponse> Ask(const Context& context,
                                  const v1::Key& key,
                                  bool require_measured) {
  TW_ASSIGN_OR_RETURN(AddressSource source, ChooseServer(context));
  Connection connection(std::move(source));
  v1::GetConfigRequest request;
  *request.mutable_key() = key;
  request.set_require_measured(require_measured);
  return connection.GetConfig(request);
}

ExitCode Run(const Context& context, const Flags& flags) {
  const Result<v1::Key> key = BuildKey(flags.problem);
  if (!key.ok()) {
    return Fail(context, key.status());
  }
  const Result<v1::GetConfigResponse> answer = Ask(context, *key, flags.require_measured);
  if (answer.status().code() == StatusCode::kNotFound) {
    return Miss(context, *key);
  }
  if (!answer.ok()) {
    return Fail(context, answer.status());
  }
  context.out << (context.flags.json ? LookupJson(*key, answer->result())
                                     : LookupText(*key, answer->result()));
  return ExitCode::kOk;
}

}  // namespace

void AddLookupCommand(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("lookup", "the stored winner or a miss; never tunes");
  const auto flags = std::make_shared<Flags>();  // shared: the copyable callbacks own it
  AddProblemFlags(*command, flags->problem);
  command->add_flag("--require-measured", flags->require_measured,
                    "a result that was not measured here is a miss");
  command->callback(
      [&context, flags] { context.action = [&context, flags] { return Run(context, *flags); }; });
}

}  // namespace tw::cli
