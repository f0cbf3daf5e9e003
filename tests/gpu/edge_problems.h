// Problems at the edges of what the families carry.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/core/gemm_problem.h"

namespace tw {

// m, n and k of 1, 3, 17 and 1021 in all combinations and `more` random sizes up to 600, with
// random types, layouts, alignments, leading dimensions, batch strides and epilogues. Normalised.
std::vector<GemmProblem> EdgeProblems(std::uint64_t seed, int more);

// `count` problems over all fields, sizes of 1 to 600 and more often at the edges of tiles than
// not. Half of the operands are packed and aligned, as the fast families want them. Normalised.
std::vector<GemmProblem> FieldProblems(std::uint64_t seed, int count);

}  // namespace tw
