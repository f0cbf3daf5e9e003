// tilewright jobs: the tuning jobs that the daemon knows, newest first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/cli/cli11_forward.h"
#include "client/cli/context.h"

namespace tw::cli {

// Adds the subcommand; parsing it sets context.action. Both must outlive the parse and the action.
void AddJobsCommand(CLI::App& app, Context& context);

}  // namespace tw::cli
