// SPDX-License-Identifier: Apache-2.0
#include "tuner/explain/comparison.h"

#include <algorithm>
#include <cmath>

#include "codegen/core/check.h"
#include "tuner/explain/reason.h"
#include "tuner/explain/wording.h"

namespace tw {
namespace {

// Predictions this close are one.
constexpr double kSameShare = 1e-3;

bool Overlap(const Measurement& a, const Measurement& b) {
  return a.ci_low_ns <= b.ci_high_ns && b.ci_low_ns <= a.ci_high_ns;
}

std::string TieBreakText(TieBreak decided,
                         const CandidateReport& winner,
                         const CandidateReport& runner_up) {
  switch (decided) {
    case TieBreak::kSplitK:
      return "no split-K";
    case TieBreak::kSharedMemory:
      return "less shared memory " + NotText(KibibytesText(winner.resources.smem_bytes),
                                             KibibytesText(runner_up.resources.smem_bytes));
    case TieBreak::kRegisters:
      return "fewer registers " +
             NotText(std::to_string(RegistersOf(winner)), std::to_string(RegistersOf(runner_up)));
    case TieBreak::kId:
      return "the smaller id";
  }
  TW_CHECK(false);
  return {};
}

std::vector<KnobDifference> DifferentKnobs(const KernelConfig& winner,
                                           const KernelConfig& runner_up) {
  std::vector<KnobDifference> different;
  if (winner.family != runner_up.family) {
    return different;
  }
  for (const auto& [knob, value] : winner.knobs) {
    const auto same = [&name = knob](const auto& other) { return other.first == name; };
    const auto at = std::find_if(runner_up.knobs.begin(), runner_up.knobs.end(), same);
    if (at != runner_up.knobs.end() && at->second != value) {
      different.push_back({.knob = knob, .winner = value, .runner_up = at->second});
    }
  }
  return different;
}

ModelFavours FavouredBy(double winner_ns, double runner_up_ns) {
  if (std::abs(winner_ns - runner_up_ns) <= kSameShare * winner_ns) {
    return ModelFavours::kNeither;
  }
  return winner_ns < runner_up_ns ? ModelFavours::kWinner : ModelFavours::kRunnerUp;
}

std::string TimesText(const Comparison& c) {
  const std::string times = TimeText(c.winner_ns) + " against " + TimeText(c.runner_up_ns);
  const double share = (c.runner_up_ns - c.winner_ns) / c.runner_up_ns;
  const std::string difference =
      share == 0 ? std::string("no difference")
                 : PercentText(std::abs(share)) + (share > 0 ? " less" : " more");
  if (!c.measured) {
    return c.tie ? c.winner_id + " and " + c.runner_up_id +
                       " are predicted alike: " + TimeText(c.winner_ns) + ", by the model alone"
                 : c.winner_id + " is predicted ahead of " + c.runner_up_id + ": " + times + ", " +
                       difference + ", by the model alone";
  }
  const std::string start = c.tie ? " ties with " : " is faster than ";
  return c.winner_id + start + c.runner_up_id + ": " + times + ", " + difference +
         (c.tie ? ", and the 95 % intervals overlap" : ", and the 95 % intervals do not overlap");
}

std::string ChoiceText(const Comparison& c) {
  if (!c.tie) {
    return {};
  }
  if (!c.tie_break) {
    return "; the lower median decided";
  }
  return "; the tie-break decided: " + c.tie_break_text;
}

std::string KnobsText(const Comparison& c) {
  if (c.winner_family != c.runner_up_family) {
    return "; they are of the families " + c.winner_family + " and " + c.runner_up_family;
  }
  std::string text;
  for (const KnobDifference& knob : c.knobs) {
    text += (text.empty() ? "; they differ in " : ", ") + knob.knob + " " +
            NotText(std::to_string(knob.winner), std::to_string(knob.runner_up));
  }
  return text;
}

std::string ModelText(const Comparison& c) {
  const std::string reason = c.reason.empty() ? "" : ": " + c.reason;
  if (!c.measured) {
    return reason.empty() ? "" : "; the model's largest reason" + reason;
  }
  const std::string predicted = " (" + TimeText(c.winner_predicted_ns) + " against " +
                                TimeText(c.runner_up_predicted_ns) + ")";
  switch (c.model) {
    case ModelFavours::kWinner:
      return (c.tie ? "; the model expected the winner to be faster" : "; the model agrees") +
             predicted + reason;
    case ModelFavours::kNeither:
      return "; the model saw no difference" + predicted;
    case ModelFavours::kRunnerUp:
      return (c.tie ? "; the model expected the other to be faster"
                    : "; the model expected the opposite") +
             predicted;
  }
  TW_CHECK(false);
  return {};
}

}  // namespace

Comparison Compare(const Contestants& contestants, bool measured, bool tie_broken) {
  const auto& [winner, runner_up] = contestants;
  const CandidateReport& w = winner.report;
  const CandidateReport& r = runner_up.report;
  Comparison c;
  c.winner_id = w.candidate_id;
  c.runner_up_id = r.candidate_id;
  c.measured = measured;
  c.winner_ns = measured ? w.measurement->median_ns : w.predicted_ns;
  c.runner_up_ns = measured ? r.measurement->median_ns : r.predicted_ns;
  c.tie = measured ? Overlap(*w.measurement, *r.measurement) : c.winner_ns == c.runner_up_ns;
  if (tie_broken) {
    c.tie_break = TieBreakBetween(w, r);
    c.tie_break_text = TieBreakText(*c.tie_break, w, r);
  }
  c.winner_family = w.config.family;
  c.runner_up_family = r.config.family;
  c.knobs = DifferentKnobs(w.config, r.config);
  c.winner_predicted_ns = w.predicted_ns;
  c.runner_up_predicted_ns = r.predicted_ns;
  c.model = FavouredBy(w.predicted_ns, r.predicted_ns);
  if (!winner.facts || !runner_up.facts) {
    return c;
  }
  // The reason is the model's of today: it counts only where that still says what the search saw.
  const ModelFavours now = FavouredBy(winner.facts->model.time_ns, runner_up.facts->model.time_ns);
  if (c.model == ModelFavours::kWinner && now == ModelFavours::kWinner) {
    c.reason = ModelledReason(winner, runner_up);
  }
  return c;
}

std::string Sentence(const Comparison& comparison) {
  return TimesText(comparison) + ChoiceText(comparison) + KnobsText(comparison) +
         ModelText(comparison) + ".";
}

}  // namespace tw
