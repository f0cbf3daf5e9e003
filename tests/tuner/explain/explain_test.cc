// SPDX-License-Identifier: Apache-2.0
#include "tuner/explain/explain.h"

#include <gtest/gtest.h>

#include "tests/tuner/explain/sample_reports.h"

namespace tw {
namespace {

using fakes::Compiled;
using fakes::H200;
using fakes::Measured;

const GemmProblem kProblem = fakes::SquareProblem(4096);

CandidateReport Large(const std::string& id, int stages) {
  return fakes::ReportOf(kProblem, id,
                         "mma_sync:tile_m=128,tile_n=128,tile_k=32,warp_m=64,warp_n=64,stages=" +
                             std::to_string(stages) + ",group_m=8,split_k=1");
}

TuneResult Result(const std::string& winner, RowState state) {
  TuneResult result;
  result.state = state;
  result.winner.candidate_id = winner;
  return result;
}

Explanation ExplainRun(const TuneResult& result, const std::vector<CandidateReport>& reports) {
  return Explain(kProblem, H200(), result, reports);
}

TEST(Explain, FactsOfACandidate) {
  // 4 warps of 200 registers: 65536 / (4 * 25 * 256) = 2 blocks. 64 KiB a block leave room for 3.
  const Explanation explanation =
      ExplainRun(Result("a", RowState::kPredicted), {Compiled(Large("a", 4), 200)});
  ASSERT_EQ(explanation.candidates.size(), 1U);
  ASSERT_TRUE(explanation.candidates[0].facts);
  const CandidateFacts& facts = *explanation.candidates[0].facts;
  EXPECT_TRUE(facts.registers_compiled);
  EXPECT_EQ(facts.registers, 200);
  EXPECT_EQ(facts.occupancy.blocks_per_sm, 2);
  EXPECT_DOUBLE_EQ(facts.occupancy.fraction, 256.0 / 2048);
  EXPECT_EQ(facts.occupancy.limiter, OccupancyLimiter::kRegisters);
  // 32 * 32 tiles over 264 slots.
  EXPECT_DOUBLE_EQ(facts.waves, 4);
  EXPECT_DOUBLE_EQ(facts.wave_efficiency, 1024.0 / (4 * 264));
  // A, B and D are 33.6 MB each; the operands outgrow the useful part of the L2.
  EXPECT_GT(facts.dram_bytes, 3.0 * 4096 * 4096 * 2);
  EXPECT_LT(facts.dram_bytes, 6.0 * 4096 * 4096 * 2);
  // A warp's 64 x 64 of two bytes: 4096 / (2 * 128).
  EXPECT_DOUBLE_EQ(facts.fma_per_smem_byte, 16);
  // mma.sync reaches 62 % of 2048 multiply-adds per clock, and shared memory gives 128 bytes.
  EXPECT_DOUBLE_EQ(facts.fma_per_smem_byte_needed, 2048 * 0.62 / 128);
  // A stage of two blocks: 2 * 128 * 128 * 32 / (2048 * 0.62) = 826 clocks, a load takes 900.
  EXPECT_EQ(facts.stages_needed, 3);
  ASSERT_TRUE(facts.bank_conflicts);
  EXPECT_EQ(facts.bank_conflicts->extra_wavefronts, 0);
}

TEST(Explain, WithoutMachineCodeTheEstimateCounts) {
  const CandidateReport report = Large("a", 4);
  const Explanation explanation = ExplainRun(Result("a", RowState::kPredicted), {report});
  const CandidateFacts& facts = *explanation.candidates[0].facts;
  EXPECT_FALSE(facts.registers_compiled);
  EXPECT_EQ(facts.registers, report.resources.regs_estimate);
  EXPECT_GT(facts.registers, 128);
}

TEST(Explain, StreamKCutsNoWaveShort) {
  CandidateReport report = Large("a", 4);
  report.config.knobs.emplace_back("reduce", 3);
  const Explanation explanation = ExplainRun(Result("a", RowState::kPredicted), {report});
  const CandidateFacts& facts = *explanation.candidates[0].facts;
  EXPECT_DOUBLE_EQ(facts.waves, 1024.0 / (132 * facts.occupancy.blocks_per_sm));
  EXPECT_DOUBLE_EQ(facts.wave_efficiency, 1);
}

TEST(Explain, OrderIsMeasuredThenPredictedThenTheOthersAsReported) {
  CandidateReport wrong = Large("w", 4);
  wrong.kind = OutcomeKind::kWrongResult;
  const CandidateReport fastest = Measured(Large("a", 3), 800e3, 1e3);
  const Explanation explanation =
      ExplainRun(Result("a", RowState::kMeasured),
                 {wrong, Compiled(Large("c", 4), 200), Measured(Large("b", 4), 900e3, 1e3),
                  Large("s", 4), fastest});
  std::string order;
  for (const ExplainedCandidate& candidate : explanation.candidates) {
    order += candidate.report.candidate_id;
  }
  EXPECT_EQ(order, "abcws");
  EXPECT_NEAR(*explanation.candidates[0].predicted_over_measured, fastest.predicted_ns / 800e3,
              1e-12);
  EXPECT_FALSE(explanation.candidates[2].predicted_over_measured);
}

TEST(Explain, ALowerTimeOfAnEarlierRoundIsNoRunnerUp) {
  const Explanation explanation =
      ExplainRun(Result("won", RowState::kMeasured),
                 {Measured(Large("early", 3), 700e3, 1e3), Measured(Large("won", 4), 800e3, 1e3),
                  Measured(Large("next", 5), 820e3, 1e3)});
  ASSERT_TRUE(explanation.comparison);
  EXPECT_EQ(explanation.comparison->runner_up_id, "next");
  ASSERT_EQ(explanation.notes.size(), 2U);
  EXPECT_TRUE(
      explanation.notes[1].starts_with("1 candidate was timed below the winner, but in an "
                                       "earlier round"));
}

TEST(Explain, ATieThatTheTieBreakDecidedNamesTheFasterOne) {
  TuneResult result = Result("won", RowState::kMeasured);
  result.ties = {"fast"};
  const Explanation explanation = ExplainRun(
      result, {Measured(Large("fast", 5), 800e3, 5e3), Measured(Large("won", 4), 803e3, 5e3)});
  ASSERT_TRUE(explanation.comparison);
  EXPECT_EQ(explanation.comparison->runner_up_id, "fast");
  EXPECT_TRUE(explanation.comparison->tie);
  EXPECT_EQ(explanation.comparison->tie_break, TieBreak::kSharedMemory);
  EXPECT_TRUE(explanation.sentence.starts_with(
      "won ties with fast: 803 us against 800 us, 0.375 % more, and the 95 % intervals overlap; "
      "the tie-break decided: less shared memory (64 KiB, not 80 KiB); they differ in stages "
      "(4, not 5); "))
      << explanation.sentence;
}

TEST(Explain, MissingReportsAreSaid) {
  const Explanation none = ExplainRun(Result("a", RowState::kMeasured), {});
  EXPECT_TRUE(none.candidates.empty());
  EXPECT_EQ(none.sentence,
            "The store has no report of a by the run that made the result; tune again to get one.");
  EXPECT_EQ(
      ExplainRun(Result("a", RowState::kMeasured), {Measured(Large("a", 4), 800e3, 1e3)}).sentence,
      "a is the only candidate that was measured.");
}

TEST(Explain, AReportWithoutResourcesIsShownWithoutFacts) {
  CandidateReport report;
  report.candidate_id = "a";
  const Explanation explanation = ExplainRun(Result("a", RowState::kMeasured), {report});
  ASSERT_EQ(explanation.candidates.size(), 1U);
  EXPECT_FALSE(explanation.candidates[0].facts);
}

TEST(Explain, SaysWhoseFiguresTheModelsUse) {
  const DeviceSpec reference = H200();
  DeviceSpec live = reference;
  live.uuid = "GPU-1";
  TuneResult result = Result("a", RowState::kMeasured);
  const auto note = [&](const DeviceSpec& device) {
    const Explanation explanation = Explain(kProblem, device, result, {});
    return explanation.notes.empty() ? std::string() : explanation.notes[0];
  };
  EXPECT_EQ(note(reference), "The models use the reference data of NVIDIA H200; no GPU was used.");
  result.device_uuid = "GPU-1";
  EXPECT_EQ(note(live), "");
  EXPECT_EQ(note(reference),
            "The GPU of the result, GPU-1, is not here: the models use the reference data of "
            "NVIDIA H200.");
  result.device_uuid = "GPU-2";
  EXPECT_EQ(note(live),
            "The models use the figures of NVIDIA H200 GPU-1, of the same class as the device of "
            "the result.");
}

}  // namespace
}  // namespace tw
