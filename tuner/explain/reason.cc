// SPDX-License-Identifier: Apache-2.0
#include "tuner/explain/reason.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tuner/explain/wording.h"
#include "tuner/search/execution.h"

namespace tw {
namespace {

// What the model has of one of the two.
struct Side {
  const ExplainedCandidate& candidate;
  const CandidateFacts& facts;
  const PredictionTerms& terms;
};

// Whether the share of waves that works makes out at least half of the main loop's ratio.
bool WavesExplainMainLoop(const Side& winner, const Side& runner_up) {
  const double waves = winner.facts.wave_efficiency / runner_up.facts.wave_efficiency;
  const double loops = runner_up.terms.main_loop_ns / winner.terms.main_loop_ns;
  return waves > 1 && std::log(waves) >= std::log(loops) / 2;
}

std::string WavesText(const Side& winner, const Side& runner_up) {
  std::string text = "fuller waves " + NotText(PercentText(winner.facts.wave_efficiency),
                                               PercentText(runner_up.facts.wave_efficiency));
  if (winner.facts.waves < runner_up.facts.waves) {
    text += " and fewer of them " +
            NotText(NumberText(winner.facts.waves), NumberText(runner_up.facts.waves));
  }
  return text;
}

// What of the main loop differs that bounds the runner-up's; empty where that cannot be told.
std::string FeedText(const Side& winner, const Side& runner_up) {
  const std::string& bound = runner_up.terms.main_bound;
  if (bound == "smem" && winner.facts.fma_per_smem_byte > runner_up.facts.fma_per_smem_byte) {
    return "more multiply-adds per byte of shared memory " +
           NotText(NumberText(winner.facts.fma_per_smem_byte),
                   NumberText(runner_up.facts.fma_per_smem_byte));
  }
  // What is needed is proportional to the rate of the arithmetic.
  if (bound == "math" &&
      winner.facts.fma_per_smem_byte_needed > runner_up.facts.fma_per_smem_byte_needed) {
    return winner.candidate.report.config.family + " reaches a higher rate of multiply-adds";
  }
  if (bound == "latency" &&
      winner.candidate.report.resources.stages > runner_up.candidate.report.resources.stages) {
    return "more stages hide the latency of loads " +
           NotText(std::to_string(winner.candidate.report.resources.stages),
                   std::to_string(runner_up.candidate.report.resources.stages));
  }
  return bound == "l2" ? "the runner-up's is bound by the L2" : "";
}

std::string MainLoopText(const Side& winner, const Side& runner_up) {
  const std::string text = "a shorter main loop " + NotText(TimeText(winner.terms.main_loop_ns),
                                                            TimeText(runner_up.terms.main_loop_ns));
  const std::string why = WavesExplainMainLoop(winner, runner_up) ? WavesText(winner, runner_up)
                                                                  : FeedText(winner, runner_up);
  return why.empty() ? text : text + ", by " + why;
}

std::string EndsText(const Side& winner, const Side& runner_up) {
  const std::string text =
      "less time to fill pipelines and for epilogues " +
      NotText(TimeText(winner.terms.ends_ns), TimeText(runner_up.terms.ends_ns));
  const auto hides = [](const Side& side) {
    return KnobOr(side.candidate.report.config, "pingpong", 0) != 0;
  };
  return hides(winner) && !hides(runner_up)
             ? text + ", for an epilogue is hidden under the next tile's products"
             : text;
}

std::string DramText(const Side& winner, const Side& runner_up) {
  return "less DRAM traffic " +
         NotText(MegabytesText(winner.facts.dram_bytes), MegabytesText(runner_up.facts.dram_bytes));
}

std::string FixedText(const Side& winner, const Side& runner_up) {
  return "less time for launches and for adding up slices of k " +
         NotText(TimeText(winner.terms.fixed_ns), TimeText(runner_up.terms.fixed_ns));
}

std::string SimplerText(const Side& /*winner*/, const Side& /*runner_up*/) {
  return "the same work without swapped operands or a cluster, which the model puts first";
}

struct Gain {
  double saved_ns = 0;
  std::string (*text)(const Side& winner, const Side& runner_up) = nullptr;
};

}  // namespace

std::string ModelledReason(const ExplainedCandidate& winner, const ExplainedCandidate& runner_up) {
  const Side w{.candidate = winner, .facts = *winner.facts, .terms = winner.facts->model.terms};
  const Side r{
      .candidate = runner_up, .facts = *runner_up.facts, .terms = runner_up.facts->model.terms};
  // The shorter of two activities that overlap costs the runner-up next to nothing.
  const bool dram_bound = r.terms.dram_ns > r.terms.main_loop_ns + r.terms.ends_ns;
  const double sm = dram_bound ? 0 : 1;
  const double dram = dram_bound ? 1 : 0;
  const std::array<Gain, 5> gains = {
      Gain{.saved_ns = sm * (r.terms.main_loop_ns - w.terms.main_loop_ns), .text = MainLoopText},
      Gain{.saved_ns = sm * (r.terms.ends_ns - w.terms.ends_ns), .text = EndsText},
      Gain{.saved_ns = dram * (r.terms.dram_ns - w.terms.dram_ns), .text = DramText},
      Gain{.saved_ns = r.terms.fixed_ns - w.terms.fixed_ns, .text = FixedText},
      Gain{.saved_ns =
               runner_up.facts->model.time_ns * (1 - w.terms.complication / r.terms.complication),
           .text = SimplerText}};
  const Gain& largest =
      *std::max_element(gains.begin(), gains.end(),
                        [](const Gain& a, const Gain& b) { return a.saved_ns < b.saved_ns; });
  // Less than this is rounding.
  constexpr double kLeastNs = 1e-3;
  return largest.saved_ns > kLeastNs ? largest.text(w, r) : "";
}

}  // namespace tw
