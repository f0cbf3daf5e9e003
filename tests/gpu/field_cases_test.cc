// The cases of field_cases.h: random legal candidates of every family are right.
// SPDX-License-Identifier: Apache-2.0
#include "field_cases.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "draw.h"
#include "sweep.h"
#include "tuner/measure/memory_plan.h"

namespace tw {
namespace {

class FieldCaseOnGpu : public testing::TestWithParam<std::string> {};

FieldCase Find(const std::string& id) {
  for (FieldCase& field : FieldCases()) {
    if (field.id == id)
      return std::move(field);
  }
  ADD_FAILURE() << id;
  return {};
}

// As a tune judges: of a huge D a sample, and no more operands than fit.
VerifierOptions Judging(const GemmProblem& problem, Device& device) {
  const auto free_bytes = device.Memory().FreeBytes();
  EXPECT_TRUE(free_bytes.ok());
  const auto plan = PlanMemory(problem, Objective::kCold, {*free_bytes, device.Spec().l2_bytes});
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  return plan.ok() ? VerifierOptions{.trials = plan->trials, .sampled = plan->sampled}
                   : VerifierOptions{};
}

TEST_P(FieldCaseOnGpu, IsRight) {
  TW_REQUIRE_GPU(gpu);
  const FieldCase field = Find(GetParam());
  std::mt19937_64 rng(1);  // NOLINT: a fixed seed on purpose
  std::vector<Group> groups;
  std::size_t judged = 0;
  for (const GemmProblem& problem : field.problems) {
    Group group;
    group.problem = problem;
    group.candidates = Draw(problem, gpu.device().Spec(), field.candidates, rng, field.only);
    EXPECT_FALSE(group.candidates.empty()) << CanonicalText(problem);
    group.kernels.resize(group.candidates.size());
    group.judging = Judging(problem, gpu.device());
    judged += group.candidates.size();
    groups.push_back(std::move(group));
  }
  const double worst = CompileAndJudge(gpu, groups, 1);
  std::printf("%s: %zu problems, %zu candidates, worst error ratio %.3f\n", field.id.c_str(),
              groups.size(), judged, worst);
}

std::vector<std::string> Ids() {
  std::vector<std::string> ids;
  for (const FieldCase& field : FieldCases())
    ids.push_back(field.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(Cases, FieldCaseOnGpu, testing::ValuesIn(Ids()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

}  // namespace
}  // namespace tw
