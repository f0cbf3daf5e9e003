// SPDX-License-Identifier: Apache-2.0
#include "tuner/funnel.h"

#include <gtest/gtest.h>

namespace tw {
namespace {

CandidateReport Report(OutcomeKind kind, const std::string& rule = "", bool compiled = true) {
  CandidateReport report;
  report.kind = kind;
  report.rule = rule;
  report.config.family = "simt";
  report.compiled.resize(compiled ? 1 : 0);
  return report;
}

TEST(Funnel, CountsEachFate) {
  Space space;
  space.enumerated = 100;
  space.pruned = {{"smem", 40}, {"spills", 1}};
  const CandidateReport reports[] = {
      Report(OutcomeKind::kMeasured),
      Report(OutcomeKind::kMeasured),
      Report(OutcomeKind::kPruned, "spills"),
      Report(OutcomeKind::kCompileError, "rejected", false),
      Report(OutcomeKind::kWrongResult, "guard"),
      Report(OutcomeKind::kWrongResult, "mismatch"),
      Report(OutcomeKind::kCrashed),
      Report(OutcomeKind::kSkipped, std::string(kSkippedByQuarantine), false),
      Report(OutcomeKind::kSkipped, std::string(kSkippedByBudget), false),
  };
  const Funnel expected = {{"space", 100},
                           {"pruned:smem", 40},
                           {"pruned:spills", 2},
                           {"legal", 59},
                           {"selected", 9},
                           {"compiled", 6},
                           {"measured", 2},
                           {"compile_error", 1},
                           {"compile_error:rejected", 1},
                           {"wrong_result", 2},
                           {"wrong_result:guard", 1},
                           {"wrong_result:mismatch", 1},
                           {"crashed", 1},
                           {"skipped", 2},
                           {"quarantined:simt", 1}};
  EXPECT_EQ(BuildFunnel(space, 59, reports), expected);
}

TEST(Funnel, FailureTextNamesReasonsOnly) {
  EXPECT_EQ(FailureText({{"space", 3}, {"legal", 2}, {"crashed", 1}, {"pruned:smem", 4}}),
            "crashed 1, pruned:smem 4");
  EXPECT_EQ(FailureText({{"space", 3}}), "");
}

}  // namespace
}  // namespace tw
