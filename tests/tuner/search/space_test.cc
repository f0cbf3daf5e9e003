// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/space.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "codegen/families/registry.h"
#include "tests/fakes/fake_family.h"

namespace tw {
namespace {

using fakes::MakeFakeFamily;

GemmProblem Problem() {
  GemmProblem problem;
  problem.m = problem.n = problem.k = 512;
  return problem;
}

DeviceSpec Device() {
  return *ReferenceDevice("sm_90a");
}

std::set<std::string> FamiliesIn(const Space& space) {
  std::set<std::string> names;
  for (const Candidate& candidate : space.candidates) {
    names.insert(candidate.config.family);
  }
  return names;
}

TEST(Space, EnumeratesTheProductOfTheKnobsLastKnobFastest) {
  const KernelFamily family = MakeFakeFamily("fake");
  const KernelFamily* families[] = {&family};
  const Space space = BuildSpace(families, Problem(), Device(), {}, "");
  EXPECT_EQ(space.enumerated, 18);
  ASSERT_EQ(space.candidates.size(), 16U);
  EXPECT_EQ(Text(space.candidates[0].config), "fake:tile_m=32,tile_n=32,split_k=1");
  EXPECT_EQ(Text(space.candidates[1].config), "fake:tile_m=32,tile_n=32,split_k=4");
  EXPECT_EQ(Text(space.candidates[2].config), "fake:tile_m=32,tile_n=64,split_k=1");
  EXPECT_EQ(space.candidates[0].id, CandidateId(space.candidates[0].config));
}

TEST(Space, CountsPrunedCandidatesByRule) {
  const KernelFamily family = MakeFakeFamily("fake");
  const KernelFamily* families[] = {&family};
  const Space space = BuildSpace(families, Problem(), Device(), {}, "");
  EXPECT_EQ(space.pruned, (std::map<std::string, std::int64_t>{{"smem", 2}}));
}

TEST(Space, UsesAFamilysOwnEnumerationAndDropsDuplicates) {
  KernelFamily family = MakeFakeFamily("fake");
  family.enumerate = [](const GemmProblem&, const DeviceSpec&,
                        const std::function<bool(const KernelConfig&)>& visit) {
    const KernelConfig config{.family = "fake",
                              .knobs = {{"tile_m", 64}, {"tile_n", 64}, {"split_k", 1}}};
    visit(config);
    visit(config);
  };
  const KernelFamily* families[] = {&family};
  const Space space = BuildSpace(families, Problem(), Device(), {}, "");
  EXPECT_EQ(space.enumerated, 2);
  EXPECT_EQ(space.candidates.size(), 1U);
  EXPECT_EQ(space.pruned.at("duplicate"), 1);
}

TEST(Space, SaysWhyAFamilyDoesNotApply) {
  KernelFamily future = MakeFakeFamily("future");
  future.min_cc = 200;
  KernelFamily picky = MakeFakeFamily("picky");
  picky.unsupported = [](const GemmProblem&, const DeviceSpec&) {
    return std::optional<std::string>("only on Tuesdays");
  };
  const KernelFamily* families[] = {&future, &picky};
  const Space space = BuildSpace(families, Problem(), Device(), {}, "");
  EXPECT_TRUE(space.candidates.empty());
  EXPECT_EQ(space.unsupported.at("future"),
            "needs compute capability 200 to 999, the device has 90");
  EXPECT_EQ(space.unsupported.at("picky"), "only on Tuesdays");
}

TEST(Space, RestrictsToOneFamily) {
  const KernelFamily a = MakeFakeFamily("a");
  const KernelFamily b = MakeFakeFamily("b");
  const KernelFamily* families[] = {&a, &b};
  EXPECT_EQ(FamiliesIn(BuildSpace(families, Problem(), Device(), {}, "")),
            (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(FamiliesIn(BuildSpace(families, Problem(), Device(), {}, "b")),
            (std::set<std::string>{"b"}));
  EXPECT_TRUE(BuildSpace(families, Problem(), Device(), {}, "c").candidates.empty());
}

TEST(Space, BatchInvariantKeepsOneFamilyAndNoSplit) {
  const KernelFamily simt = MakeFakeFamily("simt");
  const KernelFamily tensor = MakeFakeFamily("tensor");
  const KernelFamily* families[] = {&simt, &tensor};
  const Space space = BuildSpace(families, Problem(), Device(), {.batch_invariant = true}, "");
  EXPECT_EQ(FamiliesIn(space), (std::set<std::string>{"tensor"}));
  EXPECT_EQ(space.pruned.at("batch_invariant"), 8);
  for (const Candidate& candidate : space.candidates) {
    EXPECT_EQ(candidate.resources.split_k, 1);
  }
  EXPECT_NE(space.unsupported.at("simt").find("batch_invariant"), std::string::npos);
}

// Restricting to another family must not change the order in which a row is reduced.
TEST(Space, BatchInvariantRefusesAnotherFamily) {
  const KernelFamily simt = MakeFakeFamily("simt");
  const KernelFamily tensor = MakeFakeFamily("tensor");
  const KernelFamily* families[] = {&simt, &tensor};
  const Space space = BuildSpace(families, Problem(), Device(), {.batch_invariant = true}, "simt");
  EXPECT_TRUE(space.candidates.empty());
}

// Over the real registry: whatever families there are, the space is legal and has no duplicates.
TEST(Space, RealFamiliesGiveUniqueLegalCandidates) {
  const GemmProblem problem = *Normalize(Problem());
  const Space space = BuildSpace(problem, Device(), {}, "");
  std::set<std::string> ids;
  for (const Candidate& candidate : space.candidates) {
    EXPECT_TRUE(ids.insert(candidate.id).second) << Text(candidate.config);
    EXPECT_LE(candidate.resources.smem_bytes, Device().smem_per_block_optin);
    EXPECT_GT(candidate.resources.blocks, 0);
  }
  std::int64_t pruned = 0;
  for (const auto& [rule, count] : space.pruned) {
    pruned += count;
  }
  EXPECT_EQ(space.enumerated, pruned + static_cast<std::int64_t>(space.candidates.size()));
}

}  // namespace
}  // namespace tw
