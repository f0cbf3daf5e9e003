// Every configuration of all families that carry the problem, in a fixed order, with the prune
// rules applied.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"

namespace tw {

struct Space {
  std::vector<Candidate> candidates;            // legal, unranked
  std::map<std::string, std::int64_t> pruned;   // rule -> count
  std::map<std::string, std::string> unsupported;  // family -> reason
  std::int64_t enumerated = 0;
};

// `family` restricts the space; empty: all.
Space BuildSpace(const GemmProblem& problem,
                 const DeviceSpec& device,
                 const NumericsContract& contract,
                 std::string_view family);

}  // namespace tw
