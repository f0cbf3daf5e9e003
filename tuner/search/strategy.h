// Which of the ranked candidates are compiled and measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/core/candidate.h"

namespace tw {

// At most `n` of `ranked` (fastest first), in ranking order: the fastest of each family always;
// the fastest of each (family, schedule, split) that is predicted within 3x of the best, as far as
// a quarter of `n` goes; of each tile of those within 1.25x, as far as half of `n` goes; a tenth of
// `n` drawn from the rest by `seed`; the top by model for what is left. The model's error is alike
// within a class, so the representatives guard against a wrong class and the draw against a wrong
// model.
// Requires: n >= 1. Equal arguments give equal selections.
std::vector<Candidate> SelectCandidates(const std::vector<Candidate>& ranked,
                                        int n,
                                        std::uint64_t seed);

}  // namespace tw
