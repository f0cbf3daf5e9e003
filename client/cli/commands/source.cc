// SPDX-License-Identifier: Apache-2.0
#include "client/cli/commands/source.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <ostream>

#include <CLI/App.hpp>

#include "client/cli/connection.h"
#include "client/cli/problem_flags.h"
#include "client/cli/render_json.h"
#include "client/cli/server.h"

namespace tw::cli {
namespace {

struct Flags {
  ProblemFlags problem;
  std::string output;
};

Status WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) {
    return {StatusCode::kPermissionDenied, "cannot write " + path + ": " + std::strerror(errno)};
  }
  return OkStatus();
}

Result<v1::GetSourceResponse> Ask(const Context& context, const v1::Key& key) {
  TW_ASSIGN_OR_RETURN(AddressSource source, ChooseServer(context));
  Connection connection(std::move(source));
  v1::GetSourceRequest request;
  *request.mutable_key() = key;
  return connection.GetSource(request);
}

ExitCode Run(const Context& context, const Flags& flags) {
  const Result<v1::Key> key = BuildKey(flags.problem);
  if (!key.ok()) {
    return Fail(context, key.status());
  }
  const Result<v1::GetSourceResponse> answer = Ask(context, *key);
  if (!answer.ok()) {
    return Fail(context, answer.status());
  }
  if (!flags.output.empty()) {
    if (const Status written = WriteFile(flags.output, answer->source()); !written.ok()) {
      return Fail(context, written);
    }
    Note(context, answer->entry() + " written to " + flags.output);
  }
  if (context.flags.json) {
    context.out << SourceJson(*key, *answer);
  } else if (flags.output.empty()) {
    context.out << answer->source();
  }
  return ExitCode::kOk;
}

}  // namespace

void AddSourceCommand(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("source", "the winner's CUDA source");
  const auto flags = std::make_shared<Flags>();  // shared: the copyable callbacks own it
  AddProblemFlags(*command, flags->problem);
  command->add_option("-o,--output", flags->output, "file to write instead of standard output");
  command->callback(
      [&context, flags] { context.action = [&context, flags] { return Run(context, *flags); }; });
}

}  // namespace tw::cli
