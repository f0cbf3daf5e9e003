// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "client/cli/explain_json.h"
#include "client/cli/explain_text.h"
#include "client/cli/short_config.h"
#include "tests/client/golden.h"
#include "tests/client/samples.h"

namespace tw::cli {
namespace {

constexpr const char* kConfig =
    "mma_sync:tile_m=128,tile_n=128,tile_k=32,warp_m=64,warp_n=64,stages=4,group_m=8,split_k=1";

v1::ExplainedCandidate Candidate(const std::string& id, const std::string& outcome) {
  v1::ExplainedCandidate candidate;
  candidate.set_candidate_id(id);
  candidate.set_config(kConfig);
  candidate.set_outcome(outcome);
  candidate.set_predicted_ns(600'000);
  candidate.set_predicted_bound("tensor");
  v1::CandidateResources& r = *candidate.mutable_resources();
  r.set_threads(128);
  r.set_smem_bytes(65'536);
  r.set_registers(168);
  r.set_tiles(2752);
  r.set_blocks(2752);
  r.set_split_k(1);
  r.set_stages(4);
  r.set_tile_m(128);
  r.set_tile_n(128);
  r.set_tile_k(32);
  v1::CandidateFacts& facts = *candidate.mutable_facts();
  facts.set_registers(200);
  facts.set_registers_compiled(true);
  facts.set_blocks_per_sm(2);
  facts.set_occupancy(0.125);
  facts.set_limiter("registers");
  facts.set_waves(11);
  facts.set_wave_efficiency(0.9477);
  facts.set_dram_bytes(225.4e6);
  facts.set_fma_per_smem_byte(16);
  facts.set_fma_per_smem_byte_needed(9.92);
  facts.set_stages_needed(3);
  return candidate;
}

void Measure(double median_ns, v1::ExplainedCandidate& candidate) {
  v1::CandidateMeasurement& m = *candidate.mutable_measurement();
  m.set_median_ns(median_ns);
  m.set_ci_low_ns(median_ns - 500);
  m.set_ci_high_ns(median_ns + 500);
  m.set_min_ns(median_ns - 900);
  m.set_samples(3);
  m.set_discarded(1);
  *m.mutable_conditions() = SampleTune().result().conditions();
  candidate.set_predicted_over_measured(candidate.predicted_ns() / median_ns);
  candidate.set_error_ratio(0.0312);
}

void Fail(const std::string& id,
          const std::string& rule,
          const std::string& detail,
          v1::ExplainResponse& answer) {
  v1::ExplainedCandidate& candidate = *answer.add_candidates();
  candidate = Candidate(id, "wrong_result");
  candidate.set_rule(rule);
  candidate.set_detail(detail);
}

v1::ExplainResponse Answer() {
  v1::ExplainResponse answer;
  *answer.mutable_result() = SampleTune().result();
  answer.set_sentence("It is faster.");
  answer.add_notes("Bear in mind.");
  answer.set_device_name("NVIDIA H200");
  v1::ExplainedCandidate& winner = *answer.add_candidates();
  winner = Candidate(answer.result().candidate_id(), "measured");
  Measure(568'400, winner);
  winner.mutable_facts()->set_bank_ways_a(1);
  winner.mutable_facts()->set_bank_ways_b(2);
  winner.mutable_facts()->set_extra_wavefronts(64);
  v1::CompiledEntry& entry = *winner.add_compiled();
  entry.set_entry("tw_kernel");
  entry.set_registers(200);
  entry.set_spill_store_bytes(8);
  entry.set_spill_load_bytes(4);
  v1::ExplainedCandidate& second = *answer.add_candidates();
  second = Candidate("fedcba9876543210", "measured");
  Measure(568'900, second);
  Fail("00000000000000aa", "guard", "", answer);
  Fail("00000000000000bb", "wrong_element", "D[0][1] is 3, should be 4", answer);
  Fail("00000000000000cc", "wrong_element", "another", answer);
  answer.mutable_candidates(2)->clear_facts();
  v1::WinnerComparison& comparison = *answer.mutable_comparison();
  comparison.set_winner_id(answer.result().candidate_id());
  comparison.set_runner_up_id("fedcba9876543210");
  comparison.set_measured(true);
  comparison.set_winner_ns(568'400);
  comparison.set_runner_up_ns(568'900);
  comparison.set_tie(true);
  comparison.set_tie_break("fewer registers (200, not 220)");
  comparison.set_winner_family("mma_sync");
  comparison.set_runner_up_family("mma_sync");
  comparison.set_model_favours("neither");
  v1::KnobDifference& knob = *comparison.add_knobs();
  knob.set_knob("stages");
  knob.set_winner(4);
  knob.set_runner_up(3);
  return answer;
}

v1::ExplainResponse OneOf(int index) {
  v1::ExplainResponse answer = Answer();
  const v1::ExplainedCandidate candidate = answer.candidates(index);
  answer.clear_candidates();
  *answer.add_candidates() = candidate;
  return answer;
}

TEST(Explain, AllCandidates) {
  ExpectGolden("explain.txt", ExplainText(SampleKey(), Answer(), false));
  ExpectGolden("explain.json", ExplainJson(SampleKey(), Answer()));
}

TEST(Explain, OneCandidateInFull) {
  v1::ExplainResponse answer = OneOf(0);
  for (const double sample_ns : {567'900, 568'400, 569'100}) {
    answer.mutable_candidates(0)->mutable_measurement()->add_samples_ns(sample_ns);
  }
  ExpectGolden("explain_candidate.txt", CandidateText(SampleKey(), answer));
  ExpectGolden("explain_candidate.json", ExplainJson(SampleKey(), answer));
}

TEST(Explain, AFailedCandidateInFullClaimsNoMeasurement) {
  const std::string text = CandidateText(SampleKey(), OneOf(3));
  EXPECT_NE(text.find("fate        wrong_result: wrong_element\n"), std::string::npos) << text;
  EXPECT_NE(text.find("detail      D[0][1] is 3, should be 4\n"), std::string::npos) << text;
  EXPECT_NE(text.find("conflicts   not told by the family's plan\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("samples"), std::string::npos) << text;
}

TEST(Explain, TheMostFrequentFailuresComeFirst) {
  const std::string text = ExplainText(SampleKey(), Answer(), false);
  EXPECT_NE(text.find("fell out, by reason\n"
                      "  2 x wrong_result: wrong_element, e.g. 00000000000000bb: D[0][1] is 3, "
                      "should be 4\n"
                      "  1 x wrong_result: guard, e.g. 00000000000000aa\n"),
            std::string::npos)
      << text;
}

TEST(Explain, TwentyCandidatesUnlessAllAreAskedFor) {
  v1::ExplainResponse answer = Answer();
  answer.clear_candidates();
  for (int i = 0; i < 25; ++i) {
    *answer.add_candidates() = Candidate("id" + std::to_string(i), "compiled");
  }
  Fail("wrong", "guard", "", answer);
  const auto lines = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(" mma_sync 128x", at)) != std::string::npos; ++at) {
      ++count;
    }
    return count - 1;  // the winner's line above the table
  };
  const std::string few = ExplainText(SampleKey(), answer, false);
  EXPECT_EQ(lines(few), 20U);
  EXPECT_NE(few.find("and 5 slower ones (--all shows them)\n"), std::string::npos);
  const std::string all = ExplainText(SampleKey(), answer, true);
  EXPECT_EQ(lines(all), 26U);
  EXPECT_EQ(all.find("--all"), std::string::npos);
}

TEST(Explain, NoReportsNoTable) {
  v1::ExplainResponse answer = Answer();
  answer.clear_candidates();
  answer.clear_comparison();
  const std::string text = ExplainText(SampleKey(), answer, false);
  EXPECT_EQ(text.find("FATE"), std::string::npos);
  EXPECT_NE(text.find("why         It is faster.\n"), std::string::npos);
  EXPECT_NE(ExplainJson(SampleKey(), answer).find("\"comparison\": null"), std::string::npos);
}

TEST(ShortConfig, JoinsSizesAndLeavesOutWhatIsOff) {
  EXPECT_EQ(ShortConfig(kConfig), "mma_sync 128x128x32 warp 64x64 s4 g8");
  EXPECT_EQ(
      ShortConfig("wgmma_tma:tile_m=64,tile_n=128,swap=1,consumers=2,pingpong=1,stages=8,"
                  "cluster_m=2,cluster_n=1,group_m=1,split_k=4,reduce=2,tma_store=0,blocks=1"),
      "wgmma_tma 64x128 cluster 2x1 swap c2 pingpong s8 split4 reduce2");
  EXPECT_EQ(ShortConfig("new:tile_m=16,depth=7,fast=0"), "new 16 depth=7");
  EXPECT_EQ(ShortConfig("bare"), "bare");
  EXPECT_EQ(ShortConfig(""), "");
}

}  // namespace
}  // namespace tw::cli
