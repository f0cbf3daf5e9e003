// A winner beside the vendor's library. Internal to the tuner.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/tune_context.h"

namespace tw {

// Requires: `result` is measured, and its source is what would be built today. Statuses: those of
// Tuner::Tune.
Result<BaselineReport> CompareWinner(const TuneContext& context, const TuneResult& result);

}  // namespace tw
