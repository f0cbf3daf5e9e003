// SPDX-License-Identifier: Apache-2.0
#include "tuner/explain/comparison.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "tests/tuner/explain/sample_reports.h"
#include "tuner/explain/candidate_facts.h"

namespace tw {
namespace {

// Two candidates whose modelled terms the tests set.
class Reasons : public testing::Test {
 protected:
  static ExplainedCandidate Candidate(const std::string& id, int stages, double time_ns) {
    const GemmProblem problem = fakes::SquareProblem(4096);
    const CandidateReport report =
        fakes::ReportOf(problem, id,
                        "mma_sync:tile_m=128,tile_n=128,tile_k=64,warp_m=64,warp_n=64,stages=" +
                            std::to_string(stages) + ",group_m=8,split_k=1");
    ExplainedCandidate candidate =
        ExplainCandidate(problem, fakes::H200(), fakes::Measured(report, time_ns, 10));
    Predict(candidate, Terms());
    return candidate;
  }

  static PredictionTerms Terms() {
    PredictionTerms terms;
    terms.main_loop_ns = 5000;
    terms.ends_ns = 1000;
    terms.dram_ns = 500;
    terms.fixed_ns = 2000;
    return terms;
  }

  static void Predict(ExplainedCandidate& candidate, PredictionTerms terms) {
    const double time_ns =
        terms.complication *
        (terms.fixed_ns + std::max(terms.main_loop_ns + terms.ends_ns, terms.dram_ns));
    candidate.report.predicted_ns = time_ns;
    candidate.facts->model.time_ns = time_ns;
    candidate.facts->model.terms = std::move(terms);
  }

  void PredictRunnerUp(double PredictionTerms::*term, double value_ns) {
    PredictionTerms terms = Terms();
    terms.*term = value_ns;
    Predict(runner_up_, terms);
  }

  [[nodiscard]] Comparison Measured(bool tie_broken = false) const {
    return Compare({.winner = winner_, .runner_up = runner_up_}, true, tie_broken);
  }

  [[nodiscard]] std::string Text() const { return Sentence(Measured()); }

  void ExpectEnd(const std::string& end) const { EXPECT_TRUE(Text().ends_with(end)) << Text(); }

  ExplainedCandidate winner_ = Candidate("w", 3, 8000);
  ExplainedCandidate runner_up_ = Candidate("r", 3, 8400);
};

TEST_F(Reasons, TheDifferenceAndThatTheIntervalsAreApart) {
  EXPECT_EQ(Text(),
            "w is faster than r: 8 us against 8.4 us, 4.76 % less, and the 95 % intervals do not "
            "overlap; the model saw no difference (8 us against 8 us).");
}

TEST_F(Reasons, AModelThatErredIsNotUsed) {
  PredictRunnerUp(&PredictionTerms::main_loop_ns, 4000);
  ExpectEnd("; the model expected the opposite (8 us against 7 us).");
}

TEST_F(Reasons, AReasonThatOnlyTheSearchsModelHadIsNotUsed) {
  PredictRunnerUp(&PredictionTerms::main_loop_ns, 6000);
  runner_up_.facts->model.time_ns = 7000;
  ExpectEnd("; the model agrees (8 us against 9 us).");
}

TEST_F(Reasons, DramTrafficWhereItBoundsTheRunnerUp) {
  winner_.facts->dram_bytes = 52.4e6;
  runner_up_.facts->dram_bytes = 61.2e6;
  PredictionTerms terms = Terms();
  terms.main_loop_ns = 6500;
  terms.dram_ns = 8000;
  Predict(runner_up_, terms);
  ExpectEnd("; the model agrees (8 us against 10 us): less DRAM traffic (52.4 MB, not 61.2 MB).");
}

TEST_F(Reasons, WavesWhereTheyExplainTheMainLoop) {
  PredictRunnerUp(&PredictionTerms::main_loop_ns, 6000);
  winner_.facts->waves = 3;
  winner_.facts->wave_efficiency = 0.9;
  runner_up_.facts->waves = 4;
  runner_up_.facts->wave_efficiency = 0.75;
  ExpectEnd(
      ": a shorter main loop (5 us, not 6 us), by fuller waves (90 %, not 75 %) and fewer of them "
      "(3, not 4).");
  // 1 % fuller does not explain 20 %, and what else does is not known.
  runner_up_.facts->wave_efficiency = 0.89;
  ExpectEnd(": a shorter main loop (5 us, not 6 us).");
}

TEST_F(Reasons, SharedMemoryWhereItBoundsTheRunnerUp) {
  PredictionTerms terms = Terms();
  terms.main_loop_ns = 6000;
  terms.main_bound = "smem";
  Predict(runner_up_, terms);
  ExpectEnd(": a shorter main loop (5 us, not 6 us).");
  runner_up_.facts->fma_per_smem_byte = 8;
  ExpectEnd(", by more multiply-adds per byte of shared memory (16, not 8).");
}

TEST_F(Reasons, EndsOfTilesAndHiddenEpilogues) {
  PredictRunnerUp(&PredictionTerms::ends_ns, 2500);
  ExpectEnd(": less time to fill pipelines and for epilogues (1 us, not 2.5 us).");
  winner_.report.config.knobs.emplace_back("pingpong", 1);
  ExpectEnd("(1 us, not 2.5 us), for an epilogue is hidden under the next tile's products.");
}

TEST_F(Reasons, LaunchesAndSlices) {
  PredictRunnerUp(&PredictionTerms::fixed_ns, 3500);
  ExpectEnd(": less time for launches and for adding up slices of k (2 us, not 3.5 us).");
}

TEST_F(Reasons, OfTheSameWorkTheSimplerGoesFirst) {
  PredictionTerms terms = Terms();
  terms.complication = 1.01;
  Predict(runner_up_, terms);
  ExpectEnd(
      "; the model agrees (8 us against 8.08 us): the same work without swapped operands or a "
      "cluster, which the model puts first.");
}

TEST_F(Reasons, ATieNamesWhatBrokeIt) {
  winner_ = Candidate("w", 3, 8000);
  runner_up_ = Candidate("r", 4, 8005);
  const Comparison broken = Measured(true);
  EXPECT_TRUE(broken.tie);
  EXPECT_EQ(broken.tie_break, TieBreak::kSharedMemory);
  EXPECT_EQ(broken.tie_break_text, "less shared memory (96 KiB, not 128 KiB)");
  ASSERT_EQ(broken.knobs.size(), 1U);
  EXPECT_EQ(broken.knobs[0].knob, "stages");
  EXPECT_EQ(broken.knobs[0].winner, 3);
  EXPECT_EQ(broken.knobs[0].runner_up, 4);
  EXPECT_FALSE(Measured().tie_break);
  EXPECT_NE(Text().find("overlap; the lower median decided; they differ in stages (3, not 4);"),
            std::string::npos)
      << Text();
}

TEST_F(Reasons, OtherFamiliesAreNamedAndTheirKnobsNotCompared) {
  runner_up_.report.config.family = "simt";
  EXPECT_TRUE(Measured().knobs.empty());
  EXPECT_NE(Text().find("; they are of the families mma_sync and simt;"), std::string::npos);
}

TEST_F(Reasons, PredictionsClaimNoMeasurement) {
  winner_.report = fakes::Compiled(winner_.report, 200);
  runner_up_.report = fakes::Compiled(runner_up_.report, 200);
  const auto predicted = [&](bool tie_broken) {
    return Sentence(Compare({.winner = winner_, .runner_up = runner_up_}, false, tie_broken));
  };
  EXPECT_EQ(predicted(true),
            "w and r are predicted alike: 8 us, by the model alone; the tie-break decided: the "
            "smaller id.");
  PredictRunnerUp(&PredictionTerms::main_loop_ns, 6000);
  EXPECT_EQ(predicted(false),
            "w is predicted ahead of r: 8 us against 9 us, 11.1 % less, by the model alone; the "
            "model's largest reason: a shorter main loop (5 us, not 6 us).");
}

}  // namespace
}  // namespace tw
