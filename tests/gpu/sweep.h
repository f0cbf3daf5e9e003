// Many candidates of many problems, compiled side by side and judged one by one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "gpu_fixture.h"

namespace tw {

// The candidates of one problem.
struct Group {
  GemmProblem problem;
  std::vector<Candidate> candidates;
  CompiledKernel support;
  std::vector<CompiledKernel> kernels;
  VerifierOptions judging = {};  // but for the seed
};

// Expects every candidate to be right; returns the worst error ratio.
double CompileAndJudge(GpuFixture& gpu, std::vector<Group>& groups, std::uint64_t seed);

}  // namespace tw
