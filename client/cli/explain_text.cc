// SPDX-License-Identifier: Apache-2.0
#include "client/cli/explain_text.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "client/cli/baseline_text.h"
#include "client/cli/format.h"
#include "client/cli/funnel.h"
#include "client/cli/problem_text.h"
#include "client/cli/short_config.h"

namespace tw::cli {
namespace {

constexpr int kMostRows = 20;
constexpr double kMega = 1e6;

bool Survived(const v1::ExplainedCandidate& candidate) {
  return candidate.outcome() == "measured" || candidate.outcome() == "compiled";
}

std::string FateText(const v1::ExplainedCandidate& candidate) {
  return candidate.rule().empty() ? candidate.outcome()
                                  : candidate.outcome() + ": " + candidate.rule();
}

std::string OrDash(bool known, const std::string& text) {
  return known ? text : "-";
}

std::string WavesText(const v1::CandidateFacts& facts) {
  return fmt::format("{:.3g} ({:.0f} %)", facts.waves(), 100 * facts.wave_efficiency());
}

std::vector<std::string> Row(const v1::ExplainedCandidate& candidate, const std::string& winner) {
  const v1::CandidateFacts& facts = candidate.facts();
  const bool known = candidate.has_facts();
  const bool measured = candidate.has_measurement();
  return {
      candidate.candidate_id() + (candidate.candidate_id() == winner ? "*" : ""),
      ShortConfig(candidate.config()),
      FateText(candidate),
      OrDash(known, fmt::format("{} x, {:.0f} %, {}", facts.blocks_per_sm(),
                                100 * facts.occupancy(), facts.limiter())),
      OrDash(known, WavesText(facts)),
      OrDash(known, fmt::format("{:.1f}", facts.dram_bytes() / kMega)),
      OrDash(known, fmt::format("{}/{}", candidate.resources().stages(), facts.stages_needed())),
      OrDash(candidate.predicted_ns() > 0, FormatNanoseconds(candidate.predicted_ns())),
      OrDash(measured, FormatNanoseconds(candidate.measurement().median_ns())),
      OrDash(!candidate.predicted_bound().empty(), candidate.predicted_bound())};
}

std::string TableText(const v1::ExplainResponse& answer, bool all) {
  std::vector<std::vector<std::string>> rows{{"ID", "CONFIG", "FATE", "OCCUPANCY", "WAVES",
                                              "DRAM MB", "STAGES", "PREDICTED", "MEASURED",
                                              "BOUND"}};
  int left_out = 0;
  for (const v1::ExplainedCandidate& candidate : answer.candidates()) {
    if (!all && !Survived(candidate)) {
      continue;
    }
    if (!all && rows.size() > kMostRows) {
      ++left_out;
      continue;
    }
    rows.push_back(Row(candidate, answer.result().candidate_id()));
  }
  if (rows.size() == 1) {
    return {};
  }
  std::string text = fmt::format("\n{}", FormatTable(rows));
  if (left_out > 0) {
    text += fmt::format("and {} slower ones (--all shows them)\n", left_out);
  }
  return text +
         "* the winner. OCCUPANCY: blocks on an SM, its share of threads, what limits it. WAVES: "
         "share of their slots\nthat works. DRAM MB: expected traffic. STAGES: had / needed to "
         "hide the latency of loads.\n";
}

struct Failures {
  int count = 0;
  std::string example;
};

// By rule, the most frequent first.
std::string FailuresText(const v1::ExplainResponse& answer) {
  std::map<std::string, Failures> by_fate;
  for (const v1::ExplainedCandidate& candidate : answer.candidates()) {
    if (Survived(candidate)) {
      continue;
    }
    Failures& failures = by_fate[FateText(candidate)];
    if (++failures.count == 1) {
      failures.example = candidate.detail().empty()
                             ? candidate.candidate_id()
                             : fmt::format("{}: {}", candidate.candidate_id(), candidate.detail());
    }
  }
  std::vector<std::pair<std::string, Failures>> order(by_fate.begin(), by_fate.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& left, const auto& right) {
    return left.second.count > right.second.count;
  });
  std::string text(order.empty() ? "" : "\nfell out, by reason\n");
  for (const auto& [fate, failures] : order) {
    text += fmt::format("  {} x {}, e.g. {}\n", failures.count, fate, failures.example);
  }
  return text;
}

std::string WinnerLine(const v1::TuneResult& result) {
  return fmt::format("{} {}, {} {}", result.candidate_id(), ShortConfig(result.config()),
                     FormatNanoseconds(result.time_ns()), Name(result.state()));
}

std::string HeadText(const v1::Key& key, const v1::ExplainResponse& answer) {
  std::string text = ProblemText(key) + "\n";
  text += FormatLine("winner", WinnerLine(answer.result()));
  text += FormatLine("why", answer.sentence());
  for (const std::string& note : answer.notes()) {
    text += FormatLine("note", note);
  }
  return text;
}

std::string ResourcesText(const v1::CandidateResources& r) {
  return fmt::format(
      "{} threads, {} B of shared memory, {} registers estimated, tile {}x{}x{}, {} stages, split "
      "k {}, {} tiles, {} blocks, workspace {} B",
      r.threads(), r.smem_bytes(), r.registers(), r.tile_m(), r.tile_n(), r.tile_k(), r.stages(),
      r.split_k(), r.tiles(), r.blocks(), r.workspace_bytes());
}

std::string EntryText(const v1::CompiledEntry& entry) {
  return fmt::format(
      "{}: {} registers, spills {} B stored and {} B loaded, stack {} B, static "
      "shared memory {} B",
      entry.entry(), entry.registers(), entry.spill_store_bytes(), entry.spill_load_bytes(),
      entry.stack_bytes(), entry.static_smem_bytes());
}

std::string ConflictsText(const v1::CandidateFacts& facts) {
  if (!facts.has_bank_ways_a() || !facts.has_bank_ways_b()) {
    return "not told by the family's plan";
  }
  return fmt::format("{}-way in A, {}-way in B, {} extra wavefronts in a block's k block",
                     facts.bank_ways_a(), facts.bank_ways_b(), facts.extra_wavefronts());
}

std::string FactsText(const v1::ExplainedCandidate& candidate) {
  if (!candidate.has_facts()) {
    return {};
  }
  const v1::CandidateFacts& facts = candidate.facts();
  std::string text = FormatLine(
      "occupancy",
      fmt::format("{} blocks on an SM, {:.1f} % of its threads, limited by {}; {} "
                  "registers {}",
                  facts.blocks_per_sm(), 100 * facts.occupancy(), facts.limiter(),
                  facts.registers(), facts.registers_compiled() ? "compiled" : "estimated"));
  text += FormatLine("waves", fmt::format("{:.4g}, {:.1f} % of their slots work", facts.waves(),
                                          100 * facts.wave_efficiency()));
  text += FormatLine(
      "traffic", fmt::format("{:.1f} MB from and to DRAM expected", facts.dram_bytes() / kMega));
  text += FormatLine("smem feed",
                     fmt::format("{:.3g} multiply-adds per byte read, {:.3g} needed",
                                 facts.fma_per_smem_byte(), facts.fma_per_smem_byte_needed()));
  text += FormatLine("stages", fmt::format("{}, {} needed to hide the latency of loads",
                                           candidate.resources().stages(), facts.stages_needed()));
  return text + FormatLine("conflicts", ConflictsText(facts));
}

std::string SamplesText(const v1::CandidateMeasurement& measurement) {
  std::string text =
      fmt::format("{} kept, {} discarded", measurement.samples(), measurement.discarded());
  for (int i = 0; i < measurement.samples_ns_size(); ++i) {
    text += fmt::format("{}{:.4g}", i == 0 ? "; us: " : " ", measurement.samples_ns(i) * 1e-3);
  }
  return text;
}

std::string MeasurementText(const v1::ExplainedCandidate& candidate) {
  if (!candidate.has_measurement()) {
    return {};
  }
  const v1::CandidateMeasurement& m = candidate.measurement();
  std::string text = FormatLine(
      "measured", fmt::format("{}  [{}, {}] 95 %, least {}", FormatNanoseconds(m.median_ns()),
                              FormatNanoseconds(m.ci_low_ns()), FormatNanoseconds(m.ci_high_ns()),
                              FormatNanoseconds(m.min_ns())));
  if (candidate.has_predicted_over_measured()) {
    text += FormatLine("ratio", fmt::format("{:.3f} predicted over measured",
                                            candidate.predicted_over_measured()));
  }
  text += FormatLine("samples", SamplesText(m));
  return text + FormatLine("conditions", ConditionsText(m.conditions()));
}

}  // namespace

std::string ExplainText(const v1::Key& key, const v1::ExplainResponse& answer, bool all) {
  return HeadText(key, answer) + FormatLine("funnel", FunnelText(answer.result())) +
         TableText(answer, all) + FailuresText(answer);
}

std::string CandidateText(const v1::Key& key, const v1::ExplainResponse& answer) {
  const v1::ExplainedCandidate& candidate = answer.candidates(0);
  std::string text = HeadText(key, answer) + "\n";
  text += candidate.candidate_id() + " " + candidate.config() + "\n";
  text += FormatLine("fate", FateText(candidate));
  text += FormatLine("detail", candidate.detail());
  text += FormatLine("resources", ResourcesText(candidate.resources()));
  for (const v1::CompiledEntry& entry : candidate.compiled()) {
    text += FormatLine("compiled", EntryText(entry));
  }
  text += FactsText(candidate);
  if (candidate.predicted_ns() > 0) {
    text += FormatLine("predicted",
                       fmt::format("{}, bound by {}", FormatNanoseconds(candidate.predicted_ns()),
                                   candidate.predicted_bound()));
  }
  if (candidate.has_measurement() || candidate.error_ratio() > 0) {
    text +=
        FormatLine("error", fmt::format("{:.3g} of the allowed bound", candidate.error_ratio()));
  }
  return text + MeasurementText(candidate);
}

}  // namespace tw::cli
