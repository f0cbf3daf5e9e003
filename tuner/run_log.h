// What is known of every selected candidate of one run: stored as soon as it is known, taken over
// from an earlier attempt, told to the observer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/store/result_store.h"
#include "tuner/tuner.h"

namespace tw {

using TuneObserver = std::function<void(const TuneProgress&)>;

// Not thread-safe: belongs to the thread of the tune.
class RunLog {
 public:
  // `store` and `observer` outlive the log.
  RunLog(ResultStore& store, std::string run_id, const TuneObserver& observer);

  void Begin(TunePhase phase);
  void SetTotal(int candidates);

  // Successful compilations of this attempt so far; shown with the next change.
  void SetCompiled(int candidates);

  // Takes over a report that an earlier attempt stored.
  void Reuse(const CandidateReport& report);

  // Stores the report (in place of an earlier one of the same candidate) and tells the observer.
  Status Add(const CandidateReport& report);

  [[nodiscard]] const CandidateReport* Find(std::string_view candidate_id) const;

  [[nodiscard]] const std::vector<CandidateReport>& reports() const { return reports_; }

  // True after three candidates of the family in a row that crashed or hung.
  [[nodiscard]] bool Quarantined(std::string_view family) const;

  [[nodiscard]] int reused() const { return reused_; }

  [[nodiscard]] bool anything_measured() const { return progress_.measured > 0; }

 private:
  void Remember(const CandidateReport& report);
  void CountFailures(const CandidateReport& report);
  void Tell() const;

  ResultStore& store_;
  const std::string run_id_;
  const TuneObserver& observer_;
  std::vector<CandidateReport> reports_;
  std::map<std::string, std::size_t, std::less<>> index_;  // candidate id -> place in reports_
  std::map<std::string, int, std::less<>> deaths_in_a_row_;
  std::set<std::string, std::less<>> quarantined_;
  TuneProgress progress_;
  int reused_ = 0;
  int compiled_before_ = 0;
};

}  // namespace tw
