// The flags that say how far a tune goes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/cli11_forward.h"
#include "client/cli/names.h"
#include "codegen/core/status.h"

namespace tw::cli {

// Texts as typed; empty: not given.
struct TuneFlags {
  std::string budget, max_candidates, strategy, seed, family, baseline, regime;
  bool require_measured = false;
  bool retune = false;
};

// `flags` must outlive the parse.
void AddTuneFlags(CLI::App& command, TuneFlags& flags);

// Everything but the key and the request id. InvalidArgument names field, value and rule.
Result<v1::StartTuneRequest> BuildStartTune(const TuneFlags& flags);

}  // namespace tw::cli
