// SPDX-License-Identifier: Apache-2.0
#include "client/cli/commands/tune.h"

#include <memory>
#include <ostream>

#include <CLI/App.hpp>

#include "client/cli/connection.h"
#include "client/cli/interrupt.h"
#include "client/cli/job_outcome.h"
#include "client/cli/problem_flags.h"
#include "client/cli/progress.h"
#include "client/cli/render.h"
#include "client/cli/render_json.h"
#include "client/cli/server.h"
#include "client/cli/tune_flags.h"
#include "client/cli/tune_session.h"

namespace tw::cli {
namespace {

struct Flags {
  ProblemFlags problem;
  TuneFlags tune;
};

Result<v1::StartTuneRequest> BuildRequest(const Flags& flags) {
  TW_ASSIGN_OR_RETURN(v1::StartTuneRequest request, BuildStartTune(flags.tune));
  TW_ASSIGN_OR_RETURN(*request.mutable_key(), BuildKey(flags.problem));
  request.set_request_id(NewRequestId());
  return request;
}

Result<v1::Operation> Follow(const Context& context,
                             const v1::StartTuneRequest& request,
                             std::string& job,
                             const std::stop_token& stop) {
  TW_ASSIGN_OR_RETURN(AddressSource source, ChooseServer(context));
  Connection connection(std::move(source), stop);
  ProgressPrinter progress(context.err,
                           ChooseProgress(context.flags.quiet, context.env.stderr_is_terminal),
                           context.env.terminal_columns);
  const TuneHooks hooks{.on_update =
                            [&](const v1::Operation& operation) {
                              job = operation.name();
                              if (!IsFinished(operation)) {
                                progress.Show(operation);
                              }
                            },
                        .on_note = [&](const std::string& text) { progress.Say(text); }};
  return FollowTune(connection, request, hooks, stop);
}

ExitCode Interrupted(const Context& context, const std::string& job) {
  if (job.empty()) {
    return Fail(context, {StatusCode::kCancelled, "interrupted before the job had a name"});
  }
  return Fail(context, {StatusCode::kCancelled,
                        "interrupted; " + job +
                            " goes on. Attach with the same tune command, watch with "
                            "tilewright jobs, end it with tilewright cancel " +
                            job});
}

ExitCode Run(const Context& context, const Flags& flags) {
  const Result<v1::StartTuneRequest> request = BuildRequest(flags);
  if (!request.ok()) {
    return Fail(context, request.status());
  }
  const InterruptWatch interrupt;
  std::string job;
  const Result<v1::Operation> operation = Follow(context, *request, job, interrupt.Token());
  if (!operation.ok()) {
    if (operation.status().code() == StatusCode::kCancelled) {
      return Interrupted(context, job);
    }
    return Fail(context, operation.status(), RequestExit(operation.status(), *request));
  }
  const JobOutcome outcome = Judge(*operation, *request);
  if (!outcome.status.ok()) {
    return Fail(context, outcome.status, outcome.code);
  }
  context.out << (context.flags.json ? TuneJson(request->key(), *operation)
                                     : TuneText(request->key(), *operation));
  return outcome.code;
}

}  // namespace

void AddTuneCommand(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("tune", "find, verify and measure the fastest kernel");
  const auto flags = std::make_shared<Flags>();  // shared: the copyable callbacks own it
  AddProblemFlags(*command, flags->problem);
  AddTuneFlags(*command, flags->tune);
  command->callback(
      [&context, flags] { context.action = [&context, flags] { return Run(context, *flags); }; });
}

}  // namespace tw::cli
