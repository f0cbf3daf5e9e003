// What the cost model holds for the largest advantage of one candidate over another. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tuner/explain/explanation.h"

namespace tw {

// "less DRAM traffic (52.4 MB, not 61.2 MB)"; empty where no term is smaller. Requires: both have
// facts.
std::string ModelledReason(const ExplainedCandidate& winner, const ExplainedCandidate& runner_up);

}  // namespace tw
