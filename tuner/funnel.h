// How many candidates got how far, and why the others did not. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "codegen/core/outcome.h"
#include "tuner/search/space.h"

namespace tw {

using Funnel = std::map<std::string, std::int64_t>;

// "space" (enumerated), "pruned:RULE" (before or after compilation), "legal", "selected",
// "compiled", then each outcome by its name ("measured", "compile_error", "wrong_result", …, and
// where it carries a rule "wrong_result:RULE" besides), "skipped", "quarantined:FAMILY" (skipped
// because of it). Only counts above 0, but "space", "legal" and "selected" always.
// `legal`: candidates in the space; `reports`: one of each selected candidate.
Funnel BuildFunnel(const Space& space,
                   std::int64_t legal,
                   std::span<const CandidateReport> reports);

// The reasons of failure on one line: "crashed 2, pruned:smem 4".
std::string FailureText(const Funnel& funnel);

// Rules of kSkipped.
inline constexpr std::string_view kSkippedByBudget = "budget";
inline constexpr std::string_view kSkippedByQuarantine = "quarantined";

}  // namespace tw
