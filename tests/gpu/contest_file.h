// Files of shapes and configurations by hand: "shape M N K BATCH TYPE LAYOUT", then a configuration
// a line; lines that begin with # and blank ones are skipped.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "codegen/core/gemm_problem.h"
#include "codegen/core/kernel_config.h"
#include "codegen/core/status.h"

namespace tw {

struct Entrant {
  std::string what;  // for people
  KernelConfig config;
};

struct ContestSection {
  GemmProblem problem;
  std::vector<Entrant> entrants;
};

// Of the line "shape …". Sums and D have the type that is usual for such A and B.
Result<GemmProblem> ParseShapeLine(const std::string& line);

// NotFound: cannot be read. InvalidArgument: a line is neither, or a configuration has no shape.
Result<std::vector<ContestSection>> ReadContestFile(const std::string& path);

}  // namespace tw
