// tilewright calibrate: measures what the cost model goes by of a GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/cli/cli11_forward.h"
#include "client/cli/context.h"

namespace tw::cli {

// Adds the subcommand; parsing it sets context.action. Both must outlive the parse and the action.
void AddCalibrateCommand(CLI::App& app, Context& context);

}  // namespace tw::cli
