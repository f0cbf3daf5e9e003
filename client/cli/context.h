// What every command gets: the parsed global flags, its surroundings and its streams.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "client/cli/environment.h"
#include "client/cli/exit_codes.h"
#include "codegen/core/status.h"

namespace tw::cli {

struct GlobalFlags {
  std::string server;  // "unix:PATH" or "HOST:PORT"; empty: as server.h says
  std::string store;
  // For a daemon that this command starts.
  std::string gpus;
  std::string cuda_dir;
  std::string fake_gpu;  // script of the simulated GPU worker
  int idle_exit_s = 60;
  bool json = false;
  bool quiet = false;
};

struct Context {
  Environment env;
  GlobalFlags flags;
  std::ostream& out;                 // results
  std::ostream& err;                 // everything else
  std::function<ExitCode()> action;  // set by the command that was named
};

// "tilewright: MESSAGE" on err and, with --json, an error object on out. Returns `code`.
ExitCode Fail(const Context& context, const Status& status, ExitCode code);

// The same with the exit code that the status maps to.
ExitCode Fail(const Context& context, const Status& status);

// "tilewright: TEXT" on err, unless --quiet.
void Note(const Context& context, const std::string& text);

}  // namespace tw::cli
