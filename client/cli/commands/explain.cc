// SPDX-License-Identifier: Apache-2.0
#include "client/cli/commands/explain.h"

#include <memory>
#include <ostream>

#include <CLI/App.hpp>

#include "client/cli/connection.h"
#include "client/cli/explain_json.h"
#include "client/cli/explain_text.h"
#include "client/cli/problem_flags.h"
#include "client/cli/problem_text.h"
#include "client/cli/server.h"

namespace tw::cli {
namespace {

struct Flags {
  ProblemFlags problem;
  std::string candidate;
  bool all = false;
};

Result<v1::ExplainResponse> Ask(const Context& context,
                                const v1::Key& key,
                                const std::string& candidate) {
  TW_ASSIGN_OR_RETURN(AddressSource source, ChooseServer(context));
  Connection connection(std::move(source));
  v1::ExplainRequest request;
  *request.mutable_key() = key;
  request.set_candidate_id(candidate);
  return connection.Explain(request);
}

// With a candidate the server's message says which of the two is missing.
Status MissOf(const v1::Key& key, const Flags& flags, const Status& status) {
  if (!flags.candidate.empty()) {
    return status;
  }
  return {StatusCode::kNotFound,
          "no result is stored for " + ProblemText(key) + "; tilewright tune finds one"};
}

ExitCode Run(const Context& context, const Flags& flags) {
  const Result<v1::Key> key = BuildKey(flags.problem);
  if (!key.ok()) {
    return Fail(context, key.status());
  }
  const Result<v1::ExplainResponse> answer = Ask(context, *key, flags.candidate);
  if (answer.status().code() == StatusCode::kNotFound) {
    return Fail(context, MissOf(*key, flags, answer.status()), ExitCode::kMiss);
  }
  if (!answer.ok()) {
    return Fail(context, answer.status());
  }
  if (context.flags.json) {
    context.out << ExplainJson(*key, *answer);
  } else if (!flags.candidate.empty() && answer->candidates_size() == 1) {
    context.out << CandidateText(*key, *answer);
  } else {
    context.out << ExplainText(*key, *answer, flags.all);
  }
  return ExitCode::kOk;
}

}  // namespace

void AddExplainCommand(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("explain", "why the stored winner won; never tunes");
  const auto flags = std::make_shared<Flags>();  // shared: the copyable callbacks own it
  AddProblemFlags(*command, flags->problem);
  command->add_option("--candidate", flags->candidate, "one candidate in full, by its id");
  command->add_flag("--all", flags->all, "every candidate in the table, failed ones too");
  command->callback(
      [&context, flags] { context.action = [&context, flags] { return Run(context, *flags); }; });
}

}  // namespace tw::cli
