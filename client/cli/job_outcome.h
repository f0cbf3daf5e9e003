// How a finished job ends the command that waited for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/cli/exit_codes.h"
#include "client/cli/names.h"
#include "codegen/core/status.h"

namespace tw::cli {

struct JobOutcome {
  Status status;  // ok: the operation carries a result to show
  ExitCode code = ExitCode::kOk;
};

// Requires: a finished operation.
JobOutcome Judge(const v1::Operation& operation, const v1::StartTuneRequest& request);

// The exit code of a request that the server refused.
ExitCode RequestExit(const Status& status, const v1::StartTuneRequest& request);

}  // namespace tw::cli
