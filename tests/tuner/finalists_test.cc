// SPDX-License-Identifier: Apache-2.0
#include "tuner/finalists.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_benchmarker.h"

namespace tw {
namespace {

struct Entrant {
  std::string id;
  double median_ns = 0, half_width_ns = 0;
  int split_k = 1;
  std::int64_t smem_bytes = 0;
  int registers = 0;
};

CandidateReport Report(const Entrant& entrant) {
  CandidateReport report;
  report.candidate_id = entrant.id;
  report.kind = OutcomeKind::kMeasured;
  report.measurement = fakes::Measured(entrant.median_ns, entrant.half_width_ns).measurement;
  report.predicted_ns = entrant.median_ns;
  report.resources.split_k = entrant.split_k;
  report.resources.smem_bytes = entrant.smem_bytes;
  EntryResources entry;
  entry.registers = entrant.registers;
  report.compiled = {entry};
  return report;
}

std::vector<CandidateReport> Reports(const std::vector<Entrant>& entrants) {
  std::vector<CandidateReport> reports;
  reports.reserve(entrants.size());
  for (const Entrant& entrant : entrants) {
    reports.push_back(Report(entrant));
  }
  return reports;
}

using Ids = std::vector<std::string>;

TEST(FastestMeasured, OrdersByMedianThenId) {
  std::vector<CandidateReport> reports = Reports({{"c", 3}, {"b", 2}, {"a", 2}, {"d", 1}});
  reports[3].kind = OutcomeKind::kWrongResult;
  EXPECT_EQ(FastestMeasured(reports, 2), (Ids{"a", "b"}));
  EXPECT_EQ(FastestMeasured(reports, 9), (Ids{"a", "b", "c"}));
  EXPECT_TRUE(FastestMeasured({}, 3).empty());
}

TEST(ChooseMeasured, LowestMedianWinsWhereNothingOverlaps) {
  const Choice choice = ChooseMeasured(Reports({{"a", 110, 1}, {"b", 100, 1}, {"c", 105, 1}}));
  EXPECT_EQ(choice.winner, 1U);
  EXPECT_TRUE(choice.ties.empty());
}

TEST(ChooseMeasured, TiesAreThoseWhoseIntervalsOverlapTheFastest) {
  // b: 99..101; a: 100.5..104.5 overlaps; c: 102..106 does not.
  const Choice choice = ChooseMeasured(Reports({{"a", 102.5, 2}, {"b", 100, 1}, {"c", 104, 2}}));
  EXPECT_EQ(choice.winner, 1U);
  EXPECT_EQ(choice.ties, Ids{"a"});
}

TEST(Overlapping, HasTheFastestAndThoseOfItsInterval) {
  const std::vector<CandidateReport> reports =
      Reports({{"a", 102.5, 2}, {"b", 100, 1}, {"c", 104, 2}, {"d", 101.3, 0.2}});
  EXPECT_EQ(Overlapping(reports), (Ids{"b", "a"}));
  EXPECT_EQ(Overlapping(Reports({{"a", 100, 1}})), Ids{"a"});
}

// A second process would not see it again.
TEST(ChooseMeasured, ADifferenceBelowRepeatabilityIsATie) {
  const Choice choice = ChooseMeasured(Reports({{"a", 1002, 0.1}, {"b", 1000, 0.1}, {"c", 1005}}));
  EXPECT_EQ(choice.ties.size(), 1U);
}

TEST(ChooseMeasured, AmongTiesSplitKThenSmemThenRegistersThenId) {
  EXPECT_EQ(ChooseMeasured(Reports({{"a", 100, 2, 4, 10, 32}, {"b", 100.5, 2, 1, 90, 255}})).winner,
            1U);
  EXPECT_EQ(ChooseMeasured(Reports({{"a", 100, 2, 1, 50, 32}, {"b", 100.5, 2, 1, 40, 255}})).winner,
            1U);
  EXPECT_EQ(ChooseMeasured(Reports({{"a", 100, 2, 1, 50, 64}, {"b", 100.5, 2, 1, 50, 32}})).winner,
            1U);
  EXPECT_EQ(ChooseMeasured(Reports({{"b", 100, 2, 1, 50, 64}, {"a", 100.5, 2, 1, 50, 64}})).winner,
            1U);
}

TEST(TieBreakBetween, NamesWhatDecides) {
  const auto between = [](const Entrant& a, const Entrant& b) {
    return TieBreakBetween(Report(a), Report(b));
  };
  EXPECT_EQ(between({"a", 1, 1, 4, 10, 32}, {"b", 1, 1, 1, 90, 255}), TieBreak::kSplitK);
  EXPECT_EQ(between({"a", 1, 1, 2, 50, 32}, {"b", 1, 1, 4, 40, 32}), TieBreak::kSharedMemory)
      << "both split";
  EXPECT_EQ(between({"a", 1, 1, 1, 50, 64}, {"b", 1, 1, 1, 50, 32}), TieBreak::kRegisters);
  EXPECT_EQ(between({"a", 1, 1, 1, 50, 64}, {"b", 1, 1, 1, 50, 64}), TieBreak::kId);
}

TEST(ChooseMeasured, AWideIntervalDoesNotBuyTheTieBreak) {
  const Choice choice = ChooseMeasured(Reports({{"a", 100, 5, 4}, {"b", 103, 5, 1}}));
  EXPECT_EQ(choice.winner, 0U);
  EXPECT_EQ(choice.ties, Ids{"b"});
}

TEST(ChooseMeasured, IsIndependentOfTheOrder) {
  const std::vector<CandidateReport> reports =
      Reports({{"a", 100, 2, 1, 50, 64}, {"b", 100.2, 2, 1, 50, 64}, {"c", 100.4, 2, 1, 40, 64}});
  const std::vector<CandidateReport> reversed(reports.rbegin(), reports.rend());
  EXPECT_EQ(reports[ChooseMeasured(reports).winner].candidate_id, "c");
  EXPECT_EQ(reversed[ChooseMeasured(reversed).winner].candidate_id, "c");
}

TEST(ChoosePredicted, LowestPredictionThenTheTieBreak) {
  EXPECT_EQ(ChoosePredicted(Reports({{"a", 102}, {"b", 100}})).winner, 1U);
  const Choice choice = ChoosePredicted(Reports({{"a", 100, 0, 4}, {"b", 100, 0, 1}}));
  EXPECT_EQ(choice.winner, 1U);
  EXPECT_EQ(choice.ties, Ids{"a"});
}

TEST(Heats, ThinOutTheField) {
  const std::vector<Heat> heats = HeatsBefore({.entrants = 4, .rounds = 11});
  ASSERT_EQ(heats.size(), 2U);
  EXPECT_EQ(heats[0].entrants, 8U);
  EXPECT_EQ(heats[1].entrants, 4U);
  EXPECT_EQ(HeatsBefore({.entrants = 8, .rounds = 11}).size(), 1U);
}

TEST(Heats, FitIntoWhatIsLeft) {
  const Heat heat{.entrants = 4, .rounds = 11};
  EXPECT_NEAR(HeatSeconds(heat, 20e3), 0.3 + 44 * 3e-3, 1e-9);
  EXPECT_NEAR(HeatSeconds(heat, 50e6), 0.3 + 44 * 0.05, 1e-9);
  EXPECT_EQ(RoundsThatFit(heat, 20e3, 1), 11);
  EXPECT_EQ(RoundsThatFit(heat, 50e6, 0.3 + 1.05), 5);
  EXPECT_EQ(RoundsThatFit(heat, 50e6, 0.3 + 0.55), 0);  // two rounds say nothing
  EXPECT_EQ(RoundsThatFit(heat, 50e6, -1), 0);
}

TEST(Heats, TheCloseOnesEnter) {
  std::vector<CandidateReport> reports;
  for (int i = 0; i < 40; ++i) {
    CandidateReport report;
    report.candidate_id = std::to_string(100 + i);
    report.kind = OutcomeKind::kMeasured;
    report.measurement = Measurement{};
    report.measurement->median_ns = 100 + i;
    reports.push_back(report);
  }
  EXPECT_EQ(Entrants(reports, {.least = 4}).size(), 24U);
  EXPECT_EQ(Entrants(reports, {.least = 4, .most = 40}).size(), 26U);  // up to 125
  EXPECT_EQ(Entrants(reports, {.least = 4, .most = 40}).front(), "100");
  reports.erase(reports.begin() + 1, reports.begin() + 30);
  EXPECT_EQ(Entrants(reports, {.least = 4}).size(), 4U);
}

}  // namespace
}  // namespace tw
