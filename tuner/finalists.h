// Who goes to the final round, and who wins it. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "codegen/core/outcome.h"

namespace tw {

// Ids of the `n` fastest measured reports by median, fastest first; equal medians by id.
std::vector<std::string> FastestMeasured(std::span<const CandidateReport> reports, std::size_t n);

struct Choice {
  std::size_t winner = 0;         // index
  std::vector<std::string> ties;  // ids besides the winner, fastest first
};

// The tie set is every finalist whose confidence interval overlaps that of the lowest median.
// Of those within 1 % of the lowest median (a wide interval is no reason to give up speed) the
// winner is the one without split-K, then with the least shared memory, then the fewest
// registers, then the smallest id.
// Requires: not empty, all measured.
Choice ChooseMeasured(std::span<const CandidateReport> finalists);

// Lowest predicted time; equal predictions by the same tie-break.
// Requires: not empty.
Choice ChoosePredicted(std::span<const CandidateReport> compiled);

}  // namespace tw
