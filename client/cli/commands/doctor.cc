// SPDX-License-Identifier: Apache-2.0
#include "client/cli/commands/doctor.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <ostream>
#include <system_error>

#include <CLI/App.hpp>

#include "client/cli/checks.h"
#include "client/cli/connection.h"
#include "client/cli/render.h"
#include "client/cli/render_json.h"
#include "client/cli/server.h"

namespace tw::cli {
namespace {

std::uint64_t OpenFileLimit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : 0;
}

// By this user: right for an on-demand daemon, which runs as the same one.
bool Writable(const std::string& store) {
  std::error_code error;
  const bool there = std::filesystem::exists(store, error);
  const std::string target = there ? store : std::filesystem::path(store).parent_path().string();
  return ::access(target.c_str(), W_OK) == 0;
}

bool IsRemote(const Context& context) {
  return !context.flags.server.empty() || !context.env.server.empty();
}

Status Gather(const Context& context, DoctorFacts& facts) {
  TW_ASSIGN_OR_RETURN(AddressSource source, ChooseServer(context));
  Connection connection(std::move(source));
  TW_ASSIGN_OR_RETURN(facts.status, connection.GetStatus());
  facts.store_writable = Writable(facts.status->store_path());
  TW_ASSIGN_OR_RETURN(facts.devices, connection.ListDevices());
  return OkStatus();
}

ExitCode Run(const Context& context) {
  DoctorFacts facts;
  facts.remote = IsRemote(context);
  facts.open_files = OpenFileLimit();
  facts.daemon = Gather(context, facts);
  const std::vector<Check> checks = Judge(facts);
  context.out << (context.flags.json ? ChecksJson(checks) : ChecksText(checks));
  if (Usable(checks)) {
    return ExitCode::kOk;
  }
  return facts.daemon.ok() ? ExitCode::kConfiguration : ExitCodeOf(facts.daemon.code());
}

}  // namespace

void AddDoctorCommand(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("doctor", "check what tuning needs and say what to do");
  command->callback([&context] { context.action = [&context] { return Run(context); }; });
}

}  // namespace tw::cli
