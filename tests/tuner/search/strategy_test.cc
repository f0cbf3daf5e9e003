// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/strategy.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fakes/fake_family.h"
#include "tuner/search/correction.h"
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

TEST(SelectCandidates, TakesSeedsUpToAThird) {
  const std::vector<Candidate> ranked = Ranked(200);
  std::vector<std::string> seeds = {"not there"};
  for (int i = 150; i < 170; ++i) {
    seeds.push_back("fast" + std::to_string(i));
  }
  const std::set<std::string> with = Ids(SelectCandidates(ranked, 30, 1, seeds));
  EXPECT_EQ(with.size(), 30U);
  for (int i = 150; i < 159; ++i) {
    EXPECT_EQ(with.count("fast" + std::to_string(i)), 1U) << i;
  }
  std::size_t more = 0;  // but for what is drawn by chance
  for (int i = 159; i < 170; ++i) {
    more += with.count("fast" + std::to_string(i));
  }
  EXPECT_LE(more, 3U);
}

TEST(SelectCandidates, TheSeedDecidesTheDraw) {
  const std::vector<Candidate> ranked = Ranked(200);
  EXPECT_EQ(Ids(SelectCandidates(ranked, 40, 1)), Ids(SelectCandidates(ranked, 40, 1)));
  EXPECT_NE(Ids(SelectCandidates(ranked, 40, 1)), Ids(SelectCandidates(ranked, 40, 2)));
}

// Tries batch after batch: what a tune does. `truth` gives times.
KnownTimes Replay(const std::vector<Candidate>& ranked,
                  const std::function<double(const Candidate&)>& truth,
                  const StrategyOptions& options) {
  KnownTimes known;
  for (;;) {
    const std::vector<Candidate> batch = NextBatch(ranked, known, options);
    if (batch.empty()) {
      return known;
    }
    for (const Candidate& candidate : batch) {
      EXPECT_TRUE(known.emplace(candidate.id, truth(candidate)).second) << candidate.id;
    }
  }
}

double Best(const KnownTimes& known) {
  double best = 1e30;
  for (const auto& [id, time] : known) {
    best = std::min(best, time.value_or(best));
  }
  return best;
}

// 10 x 10 sizes; the model knows them all to take about the same.
std::vector<Candidate> Grid() {
  std::vector<Candidate> ranked;
  for (int i = 0; i < 100; ++i) {
    Candidate candidate;
    candidate.config.family = "grid";
    candidate.config.knobs = {{"x", 1 << (i / 10)}, {"y", 1 << (i % 10)}};
    candidate.id = std::to_string(i);
    candidate.resources.tile_m = candidate.resources.tile_n = 64;
    candidate.predicted_ns = 100 + 0.01 * i;
    ranked.push_back(candidate);
  }
  return ranked;
}

TEST(NextBatch, TriesEverythingWhereItFits) {
  const std::vector<Candidate> ranked = Ranked(20);
  const std::vector<Candidate> batch = NextBatch(ranked, {}, {});
  EXPECT_EQ(batch.size(), ranked.size());
  KnownTimes known;
  for (const Candidate& candidate : batch) {
    known[candidate.id] = 100;
  }
  EXPECT_TRUE(NextBatch(ranked, known, {}).empty());
}

TEST(NextBatch, KeepsToTheLimit) {
  const auto truth = [](const Candidate&) { return 100.0; };
  for (const int limit : {1, 2, 7, 40, 99}) {
    EXPECT_EQ(Replay(Grid(), truth, {.max_candidates = limit}).size(),
              static_cast<std::size_t>(limit));
  }
}

// The model is blind to a valley behind what it puts first; its errors lead there, batch by batch.
TEST(NextBatch, FollowsTheErrorsOfTheModel) {
  const auto truth = [](const Candidate& candidate) {
    const double x = std::log2(candidate.config.Get("x")) - 4;
    const double y = std::log2(candidate.config.Get("y")) - 6;
    return 100 + 4 * (x * x + y * y);
  };
  const double adaptive = Best(Replay(Grid(), truth, {.max_candidates = 40}));
  EXPECT_LE(adaptive, 104);
}

TEST(NextBatch, LeavesTheHopelessAlone) {
  // 24 of the first batch take as long as predicted, and all others promise more than 8 % above.
  std::vector<Candidate> ranked = Ranked(100);
  for (std::size_t i = 24; i < ranked.size(); ++i) {
    ranked[i].predicted_ns = 1000 + static_cast<double>(i);
  }
  const auto truth = [](const Candidate& candidate) { return candidate.predicted_ns; };
  EXPECT_EQ(Replay(ranked, truth, {.max_candidates = 40}).size(), 24U);
}

TEST(NextBatch, GoesOnWhereAnEarlierAttemptEnded) {
  const std::vector<Candidate> ranked = Ranked(100);
  const std::vector<Candidate> first = NextBatch(ranked, {}, {});
  KnownTimes known;
  for (std::size_t i = 0; i < first.size() / 2; ++i) {
    known[first[i].id] = std::nullopt;  // failed ones too
  }
  const std::vector<Candidate> rest = NextBatch(ranked, known, {});
  EXPECT_EQ(rest.size(), first.size() - first.size() / 2);
  EXPECT_EQ(rest.back().id, first.back().id);
}

TEST(NextBatch, AnExhaustiveSampleIsEven) {
  const std::vector<Candidate> ranked = Ranked(999);  // and one
  const StrategyOptions options{.strategy = Strategy::kExhaustive, .max_candidates = 100};
  const std::vector<Candidate> sample = NextBatch(ranked, {}, options);
  ASSERT_EQ(sample.size(), 100U);
  EXPECT_EQ(sample[24].id, ranked[24].id);
  EXPECT_EQ(sample[26].id, ranked[38].id);  // every 13th
  EXPECT_GT(sample.back().predicted_ns, ranked[980].predicted_ns);
  KnownTimes known;
  for (const Candidate& candidate : sample) {
    known[candidate.id] = 1;
  }
  EXPECT_TRUE(NextBatch(ranked, known, options).empty());
}

TEST(Correction, IsTheFamilysFarAwayAndTheNeighboursNearby) {
  std::vector<Candidate> grid = Grid();
  grid.front().predicted_ns = grid.back().predicted_ns = grid[11].predicted_ns = 100;
  const MeasuredCandidate measured[] = {{&grid.front(), 200}, {&grid.back(), 50}};
  const std::vector<double> corrected = CorrectedNs(grid, measured);
  EXPECT_GT(corrected.front(), 150);  // mostly its own error
  EXPECT_LT(corrected.back(), 67);
  EXPECT_GT(corrected[11], 100);
  Candidate other = grid[5];
  other.config.family = "other";
  EXPECT_EQ(CorrectedNs({other}, measured).front(), other.predicted_ns);
}

TEST(Correction, WhatIsOfAnotherProblemWeighsLess) {
  std::vector<Candidate> grid = Grid();
  grid.front().predicted_ns = 100;
  const MeasuredCandidate here{&grid.front(), 200};
  const MeasuredCandidate elsewhere{&grid.front(), 50, 0.1};
  const MeasuredCandidate both[] = {here, elsewhere};
  const double corrected = CorrectedNs(grid, both).front();
  EXPECT_GT(corrected, 160);
  EXPECT_LT(corrected, 199);
  // Alone it is all there is.
  EXPECT_NEAR(CorrectedNs(grid, std::span(&elsewhere, 1)).front(), 50, 20);
}

// The second batch goes where the past says that the model is too pessimistic.
TEST(NextBatch, LearnsFromThePast) {
  const std::vector<Candidate> ranked = Grid();
  KnownTimes known;
  for (const Candidate& candidate : NextBatch(ranked, {}, {})) {
    known[candidate.id] = candidate.predicted_ns;
  }
  std::string left;
  for (const Candidate& candidate : ranked) {
    if (!known.contains(candidate.id)) {
      left = candidate.id;  // the last of them
    }
  }
  StrategyOptions options;
  EXPECT_EQ(Ids(NextBatch(ranked, known, options)).count(left), 0U);
  for (int i = 0; i < 20; ++i) {
    PastCandidate past;
    past.candidate = ranked[static_cast<std::size_t>(std::stoi(left))];
    past.time_ns = past.candidate.predicted_ns / 2;
    past.weight = 0.3;
    options.experience.past.push_back(past);
  }
  EXPECT_EQ(Ids(NextBatch(ranked, known, options)).count(left), 1U);
}

TEST(Correction, DistanceCountsDoublings) {
  KernelConfig a{.family = "f", .knobs = {{"tile", 127}, {"flag", 0}}};
  KernelConfig b{.family = "f", .knobs = {{"tile", 255}, {"flag", 1}}};
  EXPECT_DOUBLE_EQ(Distance(a, b), 2);
  EXPECT_DOUBLE_EQ(Distance(a, a), 0);
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
