// Which elements of D have a reference, where computing all would take too long. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/core/gemm_problem.h"
#include "tw/verify/params.h"

namespace tw {

// Past this many operations (2*m*n*k*batch) a reference of all of D takes a third of a second and
// more on the fastest devices, for each trial.
inline constexpr double kFullCoverageFlops = 2e12;

// True past `full_flops`, unless the sample would cover half of D anyway.
bool IsSampled(const GemmProblem& problem, double full_flops = kFullCoverageFlops);

// First elements of the kReferenceTile-square tiles of a sample: strips along the four edges of the
// first and the last batch item, where tails and predicates go wrong, and 512 tiles anywhere.
// A tile may reach past D's edge only where D is smaller than a tile. Requires: not empty.
std::vector<Position> SampledTiles(const GemmProblem& problem, std::uint64_t seed);

// The size of that list.
std::int64_t SampledTileCount(const GemmProblem& problem);

// "all of D", "sampled: 23068672 of 4294967296 elements". `tiles` is empty where nothing is
// sampled.
std::string CoverageText(const GemmProblem& problem, std::int64_t tiles);

}  // namespace tw
