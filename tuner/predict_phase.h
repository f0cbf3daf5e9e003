// The phase of a tune without a GPU: everything is really compiled, and ranked by the model over
// the real registers and shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tuner/run_log.h"
#include "tuner/tune_context.h"

namespace tw {

struct Predictions {
  PhaseTimes times;
  std::string compiler;  // "nvrtc 13.0"; empty where nothing was compiled
};

// Compiles `candidates` until all are done or the budget ended and one is compiled; the log gets
// their reports. A Status tells of the compiler or the store, never of a candidate.
Result<Predictions> CompileAndPredict(const TuneContext& context,
                                      RunLog& log,
                                      std::vector<Candidate> candidates);

}  // namespace tw
