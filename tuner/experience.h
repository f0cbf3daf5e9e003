// What the store's earlier tunes tell a new one. Internal to the tuner.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "codegen/core/candidate.h"
#include "tuner/search/strategy.h"
#include "tuner/tune_context.h"

namespace tw {

// Of the nearest measured problems (neighbours.h): the fastest candidates of each as seeds for
// `ranked`, the nearest problem's first, and all that they measured as evidence of the model's
// errors. The problem's own earlier winners count first: after a driver or template change they are
// built, verified and timed again like any other. A run whose reports cannot be read teaches
// nothing; it does not fail this one. Empty for the exhaustive strategy, which learns nothing.
Experience GatherExperience(const TuneContext& context, const std::vector<Candidate>& ranked);

}  // namespace tw
