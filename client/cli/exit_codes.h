// What the process's exit status says. Documented in docs/cli.md; scripts rely on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/core/status.h"

namespace tw::cli {

enum class ExitCode : int {
  kOk = 0,             // done, or a hit
  kMiss = 3,           // nothing stored under the key
  kOnlyPredicted = 4,  // a measurement was required and none can be had
  kNoCandidate = 6,    // no candidate survived
  kUsage = 64,
  kBadInput = 65,     // an input file is wrong
  kUnavailable = 69,  // no server
  kInternal = 70,
  kTryAgain = 75,
  kConfiguration = 78,
  kInterrupted = 130,  // the job goes on
};

// How an RPC's (or the client's own) status ends the process. Commands that know better, such as
// tune for a job's own failure, decide before they come here.
ExitCode ExitCodeOf(StatusCode code);

}  // namespace tw::cli
