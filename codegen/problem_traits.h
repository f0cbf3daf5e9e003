// The problem as device code sees it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "codegen/core/gemm_problem.h"

namespace tw {

// "struct Problem { using A = tw::bf16; … };": the traits that templates/tw/epilogue/linear.cuh
// documents.
std::string EmitProblemTraits(const GemmProblem& problem);

// Template pieces that the traits name: the activation's header.
std::vector<std::string> ProblemIncludes(const GemmProblem& problem);

}  // namespace tw
