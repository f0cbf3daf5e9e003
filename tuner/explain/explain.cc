// SPDX-License-Identifier: Apache-2.0
#include "tuner/explain/explain.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tuner/explain/candidate_facts.h"
#include "tuner/explain/comparison.h"

namespace tw {
namespace {

bool IsMeasured(const ExplainedCandidate& candidate) {
  return candidate.report.kind == OutcomeKind::kMeasured && candidate.report.measurement;
}

bool IsPredicted(const ExplainedCandidate& candidate) {
  return candidate.report.kind == OutcomeKind::kCompiled;
}

double TimeOf(const ExplainedCandidate& candidate) {
  return IsMeasured(candidate) ? candidate.report.measurement->median_ns
                               : candidate.report.predicted_ns;
}

// Measured, then predicted, then the others.
int GroupOf(const ExplainedCandidate& candidate) {
  if (IsMeasured(candidate)) {
    return 0;
  }
  return IsPredicted(candidate) ? 1 : 2;
}

bool Before(const ExplainedCandidate& a, const ExplainedCandidate& b) {
  const auto rank = [](const ExplainedCandidate& candidate) {
    const int group = GroupOf(candidate);
    return std::make_pair(group, group < 2 ? TimeOf(candidate) : 0);
  };
  return rank(a) < rank(b);
}

// What the winner was chosen from, as far as the stored result tells.
class Contest {
 public:
  Contest(const TuneResult& result, std::span<const ExplainedCandidate> candidates)
      : result_(result), candidates_(candidates), measured_(result.state != RowState::kPredicted) {
    for (const ExplainedCandidate& candidate : candidates_) {
      if (Counts(candidate) && (IsWinner(candidate) || IsTied(candidate))) {
        lowest_ns_ = std::min(lowest_ns_, TimeOf(candidate));
      }
    }
  }

  [[nodiscard]] bool measured() const { return measured_; }

  [[nodiscard]] const ExplainedCandidate* Winner() const {
    const auto at = std::find_if(candidates_.begin(), candidates_.end(),
                                 [&](const auto& c) { return Counts(c) && IsWinner(c); });
    return at == candidates_.end() ? nullptr : &*at;
  }

  // The next fastest. `candidates` are in the order of their times.
  [[nodiscard]] const ExplainedCandidate* RunnerUp() const {
    const auto at = std::find_if(candidates_.begin(), candidates_.end(), [&](const auto& c) {
      return Counts(c) && !IsWinner(c) && !IsOfEarlierRound(c);
    });
    return at == candidates_.end() ? nullptr : &*at;
  }

  // Whether the tie-break chose between the winner and this one.
  [[nodiscard]] bool TieBroken(const ExplainedCandidate& candidate) const {
    return IsTied(candidate) && TimeOf(candidate) <= kTieBreakShare * lowest_ns_;
  }

  // Those that were timed below the final round's lowest and are no tie were not in that round.
  [[nodiscard]] std::int64_t CountEarlier() const {
    return std::count_if(candidates_.begin(), candidates_.end(),
                         [&](const auto& c) { return Counts(c) && IsOfEarlierRound(c); });
  }

 private:
  [[nodiscard]] bool Counts(const ExplainedCandidate& candidate) const {
    return measured_ ? IsMeasured(candidate) : IsPredicted(candidate);
  }

  [[nodiscard]] bool IsWinner(const ExplainedCandidate& candidate) const {
    return candidate.report.candidate_id == result_.winner.candidate_id;
  }

  [[nodiscard]] bool IsTied(const ExplainedCandidate& candidate) const {
    return std::find(result_.ties.begin(), result_.ties.end(), candidate.report.candidate_id) !=
           result_.ties.end();
  }

  [[nodiscard]] bool IsOfEarlierRound(const ExplainedCandidate& candidate) const {
    return !IsWinner(candidate) && !IsTied(candidate) && TimeOf(candidate) < lowest_ns_;
  }

  const TuneResult& result_;
  std::span<const ExplainedCandidate> candidates_;
  bool measured_;
  // Of the winner and its ties: one of them had the lowest time of the final round.
  double lowest_ns_ = std::numeric_limits<double>::infinity();
};

void AddDeviceNote(const DeviceSpec& device, const TuneResult& result, Explanation& explanation) {
  explanation.device_name = device.name;
  explanation.reference_device = device.uuid.empty();
  if (device.uuid == result.device_uuid && !device.uuid.empty()) {
    return;
  }
  std::string note;
  if (!explanation.reference_device) {
    note = "The models use the figures of " + device.name + " " + device.uuid +
           ", of the same class as the device of the result.";
  } else if (result.device_uuid.empty()) {
    note = "The models use the reference data of " + device.name + "; no GPU was used.";
  } else {
    note = "The GPU of the result, " + result.device_uuid +
           ", is not here: the models use the reference data of " + device.name + ".";
  }
  explanation.notes.push_back(std::move(note));
}

void AddEarlierNote(const Contest& contest, Explanation& explanation) {
  if (const std::int64_t count = contest.CountEarlier(); count > 0) {
    explanation.notes.push_back(
        std::to_string(count) + (count == 1 ? " candidate was" : " candidates were") +
        " timed below the winner, but in an earlier round, in other conditions, and did not reach "
        "the final one.");
  }
}

void AddComparison(const Contest& contest, const TuneResult& result, Explanation& explanation) {
  const ExplainedCandidate* winner = contest.Winner();
  const std::string& id = result.winner.candidate_id;
  if (winner == nullptr) {
    explanation.sentence = "The store has no report of " + id +
                           " by the run that made the result; tune again to get one.";
    return;
  }
  const ExplainedCandidate* runner_up = contest.RunnerUp();
  if (runner_up == nullptr) {
    explanation.sentence = id + " is the only candidate that was " +
                           (contest.measured() ? "measured." : "compiled and predicted.");
    return;
  }
  explanation.comparison = Compare({.winner = *winner, .runner_up = *runner_up}, contest.measured(),
                                   contest.TieBroken(*runner_up));
  explanation.sentence = Sentence(*explanation.comparison);
}

}  // namespace

Explanation Explain(const GemmProblem& problem,
                    const DeviceSpec& device,
                    const TuneResult& result,
                    std::span<const CandidateReport> reports) {
  Explanation explanation;
  for (const CandidateReport& report : reports) {
    explanation.candidates.push_back(ExplainCandidate(problem, device, report));
  }
  std::stable_sort(explanation.candidates.begin(), explanation.candidates.end(), Before);
  AddDeviceNote(device, result, explanation);
  const Contest contest(result, explanation.candidates);
  AddComparison(contest, result, explanation);
  AddEarlierNote(contest, explanation);
  return explanation;
}

}  // namespace tw
