// The winner beside the next fastest candidate. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tuner/explain/explanation.h"

namespace tw {

struct Contestants {
  const ExplainedCandidate& winner;
  const ExplainedCandidate& runner_up;
};

// By their medians (`measured`) or their predictions, which both have. `tie_broken`: both were in
// the tie in which the tie-break chose the winner.
Comparison Compare(const Contestants& contestants, bool measured, bool tie_broken);

// Why the winner won, in one sentence.
std::string Sentence(const Comparison& comparison);

}  // namespace tw
