// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/strategy.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/fakes/fake_family.h"
#include "tuner/search/rank.h"
#include "tuner/search/space.h"

namespace tw {
namespace {

// `count` candidates of one class, then one slow candidate of another family.
std::vector<Candidate> Ranked(int count) {
  std::vector<Candidate> ranked;
  for (int i = 0; i < count; ++i) {
    Candidate candidate;
    candidate.config.family = "fast";
    candidate.id = "fast" + std::to_string(i);
    candidate.predicted_ns = 100 + i;
    candidate.resources.tile_m = candidate.resources.tile_n = 128;
    ranked.push_back(candidate);
  }
  Candidate slow;
  slow.config.family = "slow";
  slow.id = "slow";
  slow.predicted_ns = 1e6;
  ranked.push_back(slow);
  return ranked;
}

std::set<std::string> Ids(const std::vector<Candidate>& candidates) {
  std::set<std::string> ids;
  for (const Candidate& candidate : candidates) {
    ids.insert(candidate.id);
  }
  return ids;
}

TEST(SelectCandidates, TakesAllWhereTheyFit) {
  EXPECT_EQ(SelectCandidates(Ranked(5), 40, 1).size(), 6U);
}

TEST(SelectCandidates, OneMeansTheBest) {
  const std::vector<Candidate> selected = SelectCandidates(Ranked(5), 1, 1);
  ASSERT_EQ(selected.size(), 1U);
  EXPECT_EQ(selected[0].id, "fast0");
}

TEST(SelectCandidates, KeepsARepresentativeOfEachFamily) {
  EXPECT_EQ(Ids(SelectCandidates(Ranked(100), 8, 1)).count("slow"), 1U);
}

TEST(SelectCandidates, KeepsARepresentativeOfEachNearbyClass) {
  std::vector<Candidate> ranked = Ranked(100);
  ranked[80].resources.split_k = 8;
  const std::set<std::string> ids = Ids(SelectCandidates(ranked, 20, 1));
  EXPECT_EQ(ids.count(ranked[80].id), 1U);
}

// Ties of the model are most often variants of one tile: they must not crowd out the other ways.
TEST(SelectCandidates, SchedulesAndTilesAreRepresented) {
  std::vector<Candidate> ranked = Ranked(100);  // 100 to 199 ns
  ranked[60].config.knobs = {{"pingpong", 1}};
  ranked[70].config.knobs = {{"group_m", 8}};  // no schedule of its own
  ranked[22].resources.tile_n = 112;
  ranked[23].resources.tile_n = 112;
  ranked[40].resources.tile_n = 120;  // 1.4 times the best
  const std::set<std::string> ids = Ids(SelectCandidates(ranked, 20, 1));
  EXPECT_EQ(ids.count(ranked[60].id), 1U);
  EXPECT_EQ(ids.count(ranked[22].id), 1U);
  const std::set<std::string> others = {ranked[70].id, ranked[23].id, ranked[40].id};
  std::size_t found = 0;  // but for what is drawn by chance
  for (const std::string& id : others) {
    found += ids.count(id);
  }
  EXPECT_LE(found, 2U);
}

TEST(SelectCandidates, IsInRankingOrderAndHoldsTheTop) {
  const std::vector<Candidate> selected = SelectCandidates(Ranked(100), 40, 7);
  ASSERT_EQ(selected.size(), 40U);
  EXPECT_TRUE(std::is_sorted(
      selected.begin(), selected.end(),
      [](const Candidate& a, const Candidate& b) { return a.predicted_ns < b.predicted_ns; }));
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(selected[i].id, "fast" + std::to_string(i));
  }
}

TEST(SelectCandidates, TheSeedDecidesTheDraw) {
  const std::vector<Candidate> ranked = Ranked(200);
  EXPECT_EQ(Ids(SelectCandidates(ranked, 40, 1)), Ids(SelectCandidates(ranked, 40, 1)));
  EXPECT_NE(Ids(SelectCandidates(ranked, 40, 1)), Ids(SelectCandidates(ranked, 40, 2)));
}

TEST(RankCandidates, IsIndependentOfTheOrderOfEnumeration) {
  const KernelFamily family = fakes::MakeFakeFamily("simt");
  const KernelFamily* families[] = {&family};
  GemmProblem problem;
  problem.m = problem.n = problem.k = 2048;
  const DeviceSpec device = *ReferenceDevice("sm_90a");
  std::vector<Candidate> forward = BuildSpace(families, problem, device, {}, "").candidates;
  std::vector<Candidate> backward(forward.rbegin(), forward.rend());
  RankCandidates(problem, device, forward);
  RankCandidates(problem, device, backward);
  ASSERT_EQ(forward.size(), backward.size());
  for (std::size_t i = 0; i < forward.size(); ++i) {
    EXPECT_EQ(forward[i].id, backward[i].id);
    EXPECT_GT(forward[i].predicted_ns, 0);
    EXPECT_FALSE(forward[i].predicted_bound.empty());
  }
  EXPECT_TRUE(std::is_sorted(
      forward.begin(), forward.end(),
      [](const Candidate& a, const Candidate& b) { return a.predicted_ns < b.predicted_ns; }));
}

}  // namespace
}  // namespace tw
