// Random problems for property tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "codegen/core/gemm_problem.h"

namespace tw::testing {

using Random = std::mt19937_64;

// Valid for Normalize: small sizes (zeros and ones are frequent), padded or packed leading
// dimensions, broadcast, packed or padded batch strides, every type combination and epilogue that
// is implemented.
GemmProblem RandomProblem(Random& random);

// Uniform in [low, high].
std::int64_t Uniform(Random& random, std::int64_t low, std::int64_t high);

}  // namespace tw::testing
