// The whole command line: global flags, every command, and what a parse error looks like.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "client/cli/context.h"

namespace tw::cli {

// Parses (without the program's name) and runs the command that was named. Help goes to
// context.out; errors of the command line are one line on context.err and ExitCode::kUsage.
ExitCode RunCommandLine(std::span<const std::string> arguments, Context& context);

}  // namespace tw::cli
