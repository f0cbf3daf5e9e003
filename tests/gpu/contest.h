// Chosen configurations of one problem, verified, then timed in turns with each other and with the
// vendor's library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "codegen/core/baseline.h"
#include "contest_file.h"
#include "gpu_fixture.h"

namespace tw {

struct ContestOptions {
  Regime regime = Regime::kHot;
  Objective objective = Objective::kCold;
  std::size_t library = 0;  // algorithms of the library that take part: its fastest ones
  int rounds = 21;
  double max_seconds = 60;
};

// Verifies and times all that are legal, and prints a table: times, and ratios to the fastest of
// the library, or to the first entrant where the library takes no part. A wrong kernel is a failed
// expectation. Compiles on every hardware thread.
void RunContest(GpuFixture& gpu,
                const GemmProblem& problem,
                const std::vector<Entrant>& entrants,
                const ContestOptions& options);

}  // namespace tw
