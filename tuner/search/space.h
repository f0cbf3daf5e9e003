// Every configuration of all families that carry the problem, in a fixed order, with the prune
// rules applied.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"
#include "codegen/families/family.h"

namespace tw {

struct Space {
  std::vector<Candidate> candidates;               // legal, unranked
  std::map<std::string, std::int64_t> pruned;      // rule -> count
  std::map<std::string, std::string> unsupported;  // family -> reason
  std::int64_t enumerated = 0;
};

// `family` restricts the space; empty: all.
//
// batch_invariant needs one reduction order for every M. What is built for it so far: no split of
// K, and a single family for a problem's types and layouts (the first registered one besides
// `simt` that carries the problem, else `simt`); everything else is pruned or unsupported with
// that reason.
Space BuildSpace(const GemmProblem& problem,
                 const DeviceSpec& device,
                 const NumericsContract& contract,
                 std::string_view family);

// The same over an explicit list of families instead of AllFamilies().
Space BuildSpace(std::span<const KernelFamily* const> families,
                 const GemmProblem& problem,
                 const DeviceSpec& device,
                 const NumericsContract& contract,
                 std::string_view family);

}  // namespace tw
