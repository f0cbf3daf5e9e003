// The search on recorded runs: how near the winner comes to the best that was recorded, beside
// random search of the same budget, and how well the model orders. SPDX-License-Identifier:
// Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/recorded/recording.h"
#include "tuner/search/rank.h"
#include "tuner/search/strategy.h"

namespace tw {
namespace {

constexpr int kLimit = 40;

double BestOf(const Recording& recording, const KnownTimes& known) {
  double best = HUGE_VAL;
  for (const auto& [id, time] : known)
    best = std::min(best, recording.times.at(id).value_or(HUGE_VAL));
  return best;
}

double BestOf(const Recording& recording) {
  double best = HUGE_VAL;
  for (const auto& [id, time] : recording.times)
    best = std::min(best, time.value_or(HUGE_VAL));
  return best;
}

std::vector<Candidate> Ranked(const Recording& recording) {
  std::vector<Candidate> ranked = recording.candidates;
  RankCandidates(recording.problem, recording.device, ranked);
  return ranked;
}

// Batch by batch, as a tune does.
KnownTimes Replay(const Recording& recording) {
  const std::vector<Candidate> ranked = Ranked(recording);
  KnownTimes known;
  for (;;) {
    const std::vector<Candidate> batch = NextBatch(ranked, known, {.max_candidates = kLimit});
    if (batch.empty())
      return known;
    for (const Candidate& candidate : batch)
      known[candidate.id] = recording.times.at(candidate.id);
  }
}

// Geometric mean over many draws of the best of kLimit.
double RandomRegret(const Recording& recording) {
  constexpr int kDraws = 200;
  std::mt19937_64 rng(1);
  std::vector<double> times;
  for (const auto& [id, time] : recording.times)
    times.push_back(time.value_or(HUGE_VAL));
  double logs = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::shuffle(times.begin(), times.end(), rng);
    const auto end = times.begin() + std::min<std::ptrdiff_t>(kLimit, std::ssize(times));
    logs += std::log(*std::min_element(times.begin(), end) / BestOf(recording));
  }
  return std::exp(logs / kDraws);
}

// Of the model's order and the measured one.
double KendallTau(const Recording& recording) {
  std::vector<double> times;  // in the model's order
  for (const Candidate& candidate : Ranked(recording)) {
    if (const auto time = recording.times.at(candidate.id))
      times.push_back(*time);
  }
  double agree = 0, pairs = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (std::size_t j = i + 1; j < times.size(); ++j) {
      agree += times[i] < times[j] ? 1 : (times[i] > times[j] ? -1 : 0);
      pairs += 1;
    }
  }
  return pairs > 0 ? agree / pairs : 0;
}

double TopEight(const Recording& recording) {
  std::vector<Candidate> ranked = Ranked(recording);
  double best = HUGE_VAL;
  for (std::size_t i = 0; i < std::min<std::size_t>(8, ranked.size()); ++i)
    best = std::min(best, recording.times.at(ranked[i].id).value_or(HUGE_VAL));
  return best / BestOf(recording);
}

class Recorded : public testing::Test {
 protected:
  void SetUp() override {
    auto loaded = LoadRecordings(std::string(TW_SOURCE_DIR) + "/tests/recorded");
    ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
    recordings_ = *std::move(loaded);
    if (recordings_.empty())
      GTEST_SKIP() << "NOT TESTED: there are no recordings";
  }

  std::vector<Recording> recordings_;
};

TEST_F(Recorded, TheWinnerIsWithinOnePercentOfTheBest) {
  double logs = 0;
  std::printf("%-14s %10s %6s %9s %9s %9s %6s %6s\n", "problem", "candidates", "tried", "best us",
              "regret", "random", "top 8", "tau");
  for (const Recording& recording : recordings_) {
    const KnownTimes known = Replay(recording);
    const double regret = BestOf(recording, known) / BestOf(recording);
    std::printf("%-14s %10zu %6zu %9.2f %9.4f %9.4f %6.3f %6.2f\n", recording.name.c_str(),
                recording.candidates.size(), known.size(), BestOf(recording) / 1e3, regret,
                RandomRegret(recording), TopEight(recording), KendallTau(recording));
    EXPECT_LE(known.size(), static_cast<std::size_t>(kLimit)) << recording.name;
    EXPECT_LE(regret, 1.03) << recording.name;
    logs += std::log(regret);
  }
  EXPECT_LE(std::exp(logs / static_cast<double>(recordings_.size())), 1.01);
}

TEST_F(Recorded, TheModelsTopEightHoldAGoodOne) {
  int good = 0;
  for (const Recording& recording : recordings_)
    good += TopEight(recording) <= 1.03 ? 1 : 0;
  EXPECT_GE(6 * good, 5 * static_cast<int>(recordings_.size()));  // 10 of 12
}

constexpr const char* kTitle =
    "# gemm1 m=64 n=64 k=64 batch=1 a=bf16,row,ld=packed,bs=packed,al=16 "
    "b=bf16,col,ld=packed,bs=packed,al=16 c=bf16,row,ld=packed,bs=packed,al=16 "
    "d=bf16,row,ld=packed,bs=packed,al=16 acc=f32 alpha=1 beta=0 bias=none act=none scale=none "
    "fp8fast=0 | sm_90a/132sm/144gb | nvrtc 13.0\n"
    "config,kind,rule,median_ns,tile_m,tile_n,tile_k,split_k\n";

TEST(Recording, IsReadBack) {
  const auto recording = ParseRecording(
      "x", std::string(kTitle) + "\"mma_sync:tile_m=64,tile_n=64\",measured,,1234.5,64,32,16,1\n" +
               "\"mma_sync:tile_m=32,tile_n=64\",wrong_result,wrong_element,,32,64,16,1\n");
  ASSERT_TRUE(recording.ok()) << recording.status().ToString();
  EXPECT_EQ(recording->problem.m, 64);
  EXPECT_EQ(recording->device.cc(), 90);
  ASSERT_EQ(recording->candidates.size(), 2U);
  EXPECT_EQ(recording->candidates[0].resources.tile_n, 32);
  EXPECT_EQ(recording->candidates[0].config.Get("tile_n"), 64);
  EXPECT_EQ(recording->times.at(recording->candidates[0].id), 1234.5);
  EXPECT_FALSE(recording->times.at(recording->candidates[1].id).has_value());
}

TEST(Recording, SaysWhatIsWrong) {
  EXPECT_NE(ParseRecording("x", "config\n").status().message().find("line 1"), std::string::npos);
  const auto bare = ParseRecording("x", std::string(kTitle) + "\"simt:tile_m=4\",measured,,1\n");
  EXPECT_NE(bare.status().message().find("line 3"), std::string::npos);
}

}  // namespace
}  // namespace tw
