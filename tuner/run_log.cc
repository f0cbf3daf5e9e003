// SPDX-License-Identifier: Apache-2.0
#include "tuner/run_log.h"

#include <algorithm>
#include <utility>

namespace tw {
namespace {

// A family that kills its worker this often in a row will do so again.
constexpr int kDeathsToQuarantine = 3;

bool Died(const CandidateReport& report) {
  return report.kind == OutcomeKind::kCrashed || report.kind == OutcomeKind::kTimedOut;
}

// Whether a worker ran it: others say nothing of the family's health.
bool Ran(const CandidateReport& report) {
  return Died(report) || report.kind == OutcomeKind::kMeasured ||
         report.kind == OutcomeKind::kWrongResult || report.kind == OutcomeKind::kLaunchError ||
         report.kind == OutcomeKind::kDisturbed;
}

bool Failed(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kPruned:
    case OutcomeKind::kCompileError:
    case OutcomeKind::kLaunchError:
    case OutcomeKind::kWrongResult:
    case OutcomeKind::kTimedOut:
    case OutcomeKind::kCrashed:
    case OutcomeKind::kDisturbed:
      return true;
    case OutcomeKind::kMeasured:
    case OutcomeKind::kCompiled:
    case OutcomeKind::kSkipped:
      return false;
  }
  return false;
}

}  // namespace

RunLog::RunLog(ResultStore& store, std::string run_id, const TuneObserver& observer)
    : store_(store), run_id_(std::move(run_id)), observer_(observer) {}

void RunLog::Begin(TunePhase phase) {
  progress_.phase = phase;
  Tell();
}

void RunLog::SetTotal(int candidates) {
  progress_.total = candidates;
}

void RunLog::SetCompiled(int candidates) {
  progress_.compiled = std::max(progress_.compiled, compiled_before_ + candidates);
}

void RunLog::Reuse(const CandidateReport& report) {
  ++reused_;
  compiled_before_ += report.compiled.empty() ? 0 : 1;
  SetCompiled(0);
  Remember(report);
}

Status RunLog::Add(const CandidateReport& report) {
  if (!run_id_.empty()) {
    TW_RETURN_IF_ERROR(
        store_.PutReport(run_id_, report).WithContext("store the report of a candidate"));
  }
  Remember(report);
  Tell();
  return OkStatus();
}

const CandidateReport* RunLog::Find(std::string_view candidate_id) const {
  const auto at = index_.find(candidate_id);
  return at == index_.end() ? nullptr : &reports_[at->second];
}

bool RunLog::Quarantined(std::string_view family) const {
  return quarantined_.find(family) != quarantined_.end();
}

void RunLog::Remember(const CandidateReport& report) {
  const auto [at, inserted] = index_.try_emplace(report.candidate_id, reports_.size());
  if (inserted) {
    reports_.push_back(report);
    progress_.failed += Failed(report.kind) ? 1 : 0;
    progress_.measured += report.kind == OutcomeKind::kMeasured ? 1 : 0;
  } else {
    // The final round speaks of candidates that are counted already.
    reports_[at->second] = report;
  }
  CountFailures(report);
  if (report.measurement &&
      (progress_.best_ns == 0 || report.measurement->median_ns < progress_.best_ns)) {
    progress_.best_ns = report.measurement->median_ns;
    progress_.best_id = report.candidate_id;
  }
}

void RunLog::CountFailures(const CandidateReport& report) {
  if (!Ran(report)) {
    return;
  }
  int& deaths = deaths_in_a_row_[report.config.family];
  deaths = Died(report) ? deaths + 1 : 0;
  if (deaths >= kDeathsToQuarantine) {
    quarantined_.insert(report.config.family);
  }
}

void RunLog::Tell() const {
  if (observer_) {
    observer_(progress_);
  }
}

}  // namespace tw
