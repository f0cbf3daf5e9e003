// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/neighbours.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tw {
namespace {

GemmProblem Problem(std::int64_t m = 4096, std::int64_t n = 4096, std::int64_t k = 4096) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.a.type = problem.b.type = problem.c.type = problem.d.type = DType::kBf16;
  return *Normalize(problem);
}

ResultKey Key(const GemmProblem& problem) {
  return {.problem = CanonicalText(problem),
          .device_class = "sm_90a/132sm/144gb",
          .contract = "det",
          .objective = "cold"};
}

TEST(ProblemDistance, CountsDoublingsOfSizes) {
  EXPECT_EQ(Distance(Problem(), Problem()), 0);
  EXPECT_NEAR(Distance(Problem(4096), Problem(8192)), 1, 1e-3);
  EXPECT_NEAR(Distance(Problem(4096, 4096), Problem(2048, 8192)), 2, 2e-3);
  EXPECT_NEAR(Distance(Problem(8192), Problem(4096)), Distance(Problem(4096), Problem(8192)),
              1e-12);
}

TEST(ProblemDistance, CountsEveryTraitThatChoosesAKernel) {
  const std::vector<std::function<void(GemmProblem&)>> changes = {
      [](GemmProblem& p) { p.b.major = Major::kCol; },
      [](GemmProblem& p) { p.a.type = p.b.type = p.c.type = p.d.type = DType::kF16; },
      [](GemmProblem& p) { p.a.type = p.b.type = p.c.type = p.d.type = DType::kF32; },
      [](GemmProblem& p) { p.c.type = p.d.type = DType::kF32; },
      [](GemmProblem& p) { p.a.ld = p.k + 8 + 1; },
      [](GemmProblem& p) { p.beta = ScalarKind::kOne; },
      [](GemmProblem& p) { p.batch = 4; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    GemmProblem changed = Problem();
    changes[i](changed);
    const Result<GemmProblem> normal = Normalize(changed);
    ASSERT_TRUE(normal.ok()) << i << normal.status().ToString();
    EXPECT_GE(Distance(Problem(), *normal), kTraitDistance) << i;
  }
  // What a kernel is not chosen by.
  GemmProblem relu = Problem();
  relu.epilogue.activation = "relu";
  EXPECT_EQ(Distance(Problem(), *Normalize(relu)), 0);
}

TEST(NearestNeighbours, AreTheNearestOfTheSameDeviceAndObjective) {
  ResultKey other_device = Key(Problem());
  other_device.device_class = "sm_80/108sm/80gb";
  ResultKey warm = Key(Problem());
  warm.objective = "warm";
  ResultKey other_contract = Key(Problem());
  other_contract.contract = "nondet";
  ResultKey broken = Key(Problem());
  broken.problem = "gemm9 of another time";
  const std::vector<ResultKey> stored = {Key(Problem(4096, 4096, 65536)),
                                         Key(Problem(2048)),
                                         other_device,
                                         warm,
                                         broken,
                                         other_contract,
                                         Key(Problem(3584)),
                                         Key(Problem())};
  const std::vector<Neighbour> nearest = NearestNeighbours(Key(Problem()), stored, 4);
  ASSERT_EQ(nearest.size(), 4U);
  EXPECT_EQ(nearest[0].key, Key(Problem()));
  EXPECT_EQ(nearest[1].key, other_contract);
  EXPECT_EQ(nearest[2].key, Key(Problem(3584)));
  EXPECT_EQ(nearest[3].key, Key(Problem(2048)));  // 65536 is beyond the reach
  EXPECT_EQ(NearestNeighbours(Key(Problem()), stored, 9).size(), 4U);
}

CandidateReport Report(const std::string& name, double median_ns) {
  CandidateReport report;
  report.config = {.family = name, .knobs = {}};
  report.candidate_id = name;
  report.kind = OutcomeKind::kMeasured;
  report.measurement.emplace();
  report.measurement->median_ns = median_ns;
  return report;
}

TEST(FastestConfigs, AreThoseNearTheFastest) {
  CandidateReport wrong = Report("wrong", 10);
  wrong.kind = OutcomeKind::kWrongResult;
  CandidateReport failed = Report("failed", 10);
  failed.measurement.reset();
  const std::vector<CandidateReport> reports = {Report("slow", 106),  wrong,
                                                Report("third", 104), failed,
                                                Report("first", 100), Report("second", 101)};
  const std::vector<KernelConfig> two = FastestConfigs(reports, 2);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].family, "first");
  EXPECT_EQ(two[1].family, "second");
  EXPECT_EQ(FastestConfigs(reports, 9).size(), 3U);
  EXPECT_TRUE(FastestConfigs({}, 9).empty());
}

TEST(MatchConfigs, FindsTheSameOrTheMostAlike) {
  std::vector<Candidate> ranked;
  for (const int tile : {64, 128, 256}) {
    Candidate candidate;
    candidate.config = {.family = "f", .knobs = {{"tile", tile}}};
    candidate.id = std::to_string(tile);
    ranked.push_back(candidate);
  }
  const std::vector<KernelConfig> configs = {{.family = "f", .knobs = {{"tile", 512}}},
                                             {.family = "gone", .knobs = {{"tile", 64}}},
                                             {.family = "f", .knobs = {{"tile", 64}}},
                                             {.family = "f", .knobs = {{"tile", 256}}}};
  EXPECT_EQ(MatchConfigs(ranked, configs), (std::vector<std::string>{"256", "64"}));
  EXPECT_TRUE(MatchConfigs({}, configs).empty());
}

}  // namespace
}  // namespace tw
