// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/baseline.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tuner/measure/statistics.h"

namespace tw {
namespace {

// There is nothing to compare with, which is no failure.
bool IsAbsence(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kUnimplemented;
}

void Exclude(BaselineAlgorithm& algorithm, std::string rule, std::string detail) {
  algorithm.kind = OutcomeKind::kLaunchError;
  algorithm.rule = std::move(rule);
  algorithm.detail = std::move(detail);
}

Measurement Summary(const std::vector<double>& samples, const InterleavedTimes& times) {
  Measurement m;
  m.samples_ns = samples;
  m.conditions = times.conditions;
  for (const auto& [reason, count] : times.discarded)
    m.discarded += static_cast<int>(count);
  if (samples.empty())
    return m;
  m.median_ns = Median(samples);
  const Interval interval = MedianInterval(samples);
  m.ci_low_ns = interval.low;
  m.ci_high_ns = interval.high;
  m.min_ns = *std::min_element(samples.begin(), samples.end());
  return m;
}

}  // namespace

Result<BaselineReport> Baseline::Judge() {
  report_.regime = options_.regime;
  TW_RETURN_IF_ERROR(List());
  TW_RETURN_IF_ERROR(VerifyAll());
  return report_;
}

Result<BaselineReport> Baseline::Compare(const Contestant& ours) {
  TW_RETURN_IF_ERROR(Judge().status());
  TW_RETURN_IF_ERROR(Screen());
  const std::vector<std::size_t> finalists = Finalists();
  if (!finalists.empty())
    TW_RETURN_IF_ERROR(TimeInTurns(ours, finalists));
  else if (report_.unavailable.empty())
    report_.unavailable = "none of its " + std::to_string(contestants_.size()) +
                          " algorithms is right and runs on these operands";
  return report_;
}

Status Baseline::List() {
  auto opened = device_.OpenGemmLibrary(problem_);
  if (!opened.ok() && IsAbsence(opened.status())) {
    report_.unavailable = opened.status().message();
    return OkStatus();
  }
  TW_ASSIGN_OR_RETURN(library_, std::move(opened));
  report_.library = library_->Version();
  auto algorithms = library_->Algorithms(options_.workspace_limit_bytes);
  if (!algorithms.ok() && IsAbsence(algorithms.status())) {
    report_.unavailable = algorithms.status().message();
    return OkStatus();
  }
  TW_RETURN_IF_ERROR(algorithms.status());
  if (algorithms->empty())
    report_.unavailable = report_.library + " suggests no algorithm for this problem";
  for (const LibraryAlgorithm& algorithm : *algorithms) {
    contestants_.emplace_back(*library_, algorithm);
    BaselineAlgorithm row;
    row.index = algorithm.index;
    row.description = algorithm.description;
    row.workspace_bytes = algorithm.workspace_bytes;
    report_.algorithms.push_back(std::move(row));
  }
  return OkStatus();
}

Status Baseline::VerifyAll() {
  for (std::size_t i = 0; i < contestants_.size(); ++i) {
    if (Status verified = VerifyOne(i); !verified.ok())
      return verified.WithContext(contestants_[i].Name());
  }
  return OkStatus();
}

Status Baseline::VerifyOne(std::size_t index) {
  TW_ASSIGN_OR_RETURN(BenchmarkOutcome outcome, verify_(contestants_[index]));
  BaselineAlgorithm& algorithm = report_.algorithms[index];
  algorithm.error_ratio = outcome.error_ratio;
  algorithm.rule = std::move(outcome.rule);
  algorithm.detail = std::move(outcome.detail);
  algorithm.kind = outcome.kind == OutcomeKind::kMeasured ? OutcomeKind::kSkipped : outcome.kind;
  // The library may have hidden an error of the device behind one of its own.
  return device_.Synchronize();
}

std::vector<std::size_t> Baseline::Right() const {
  std::vector<std::size_t> right;
  for (std::size_t i = 0; i < report_.algorithms.size(); ++i) {
    if (report_.algorithms[i].kind == OutcomeKind::kSkipped)
      right.push_back(i);
  }
  return right;
}

Status Baseline::Screen() {
  for (bool done = false; !done;) {
    TW_ASSIGN_OR_RETURN(done, ScreenOnce(Right()));
  }
  return OkStatus();
}

Result<bool> Baseline::ScreenOnce(const std::vector<std::size_t>& positions) {
  std::vector<const Contestant*> pointers;
  pointers.reserve(positions.size());
  for (const std::size_t at : positions)
    pointers.push_back(&contestants_[at]);
  // Warms up before it samples: on a cold device the ranking would be another.
  const auto timed = rig_.MeasureInterleaved(pointers, options_.screen_rounds);
  for (std::size_t i = 0; i < timed.size(); ++i) {
    BaselineAlgorithm& algorithm = report_.algorithms[positions[i]];
    if (timed[i].ok()) {
      algorithm.screened_ns = timed[i]->measurement.median_ns;
      continue;
    }
    if (timed[i].status().code() == StatusCode::kAborted)
      continue;  // another one's fault
    if (Status alive = device_.Synchronize(); !alive.ok())
      return alive.WithContext(contestants_[positions[i]].Name());
    Exclude(algorithm, "launch_refused", timed[i].status().message());
    return false;
  }
  return true;
}

std::vector<std::size_t> Baseline::Finalists() const {
  std::vector<std::size_t> order = Right();
  std::stable_sort(order.begin(), order.end(), [this](std::size_t x, std::size_t y) {
    return report_.algorithms[x].screened_ns < report_.algorithms[y].screened_ns;
  });
  const auto most = static_cast<std::size_t>(std::max(options_.finalists, 1));
  std::vector<std::size_t> finalists(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(most, order.size())));
  const bool first_is_right = std::find(order.begin(), order.end(), 0U) != order.end();
  if (first_is_right && std::find(finalists.begin(), finalists.end(), 0U) == finalists.end())
    finalists.push_back(0);
  return finalists;
}

Status Baseline::TimeInTurns(const Contestant& ours, const std::vector<std::size_t>& finalists) {
  std::vector<const Contestant*> contestants{&ours};
  for (const std::size_t at : finalists)
    contestants.push_back(&contestants_[at]);
  CompareOptions options;
  options.regime = options_.regime;
  options.min_rounds = options_.min_rounds;
  options.max_rounds = options_.max_rounds;
  options.max_seconds = options_.max_seconds;
  TW_ASSIGN_OR_RETURN(InterleavedTimes times, rig_.Compare(contestants, options));
  Conclude(times, finalists);
  return OkStatus();
}

void Baseline::Conclude(const InterleavedTimes& times, const std::vector<std::size_t>& finalists) {
  report_.discarded = times.discarded;
  report_.conditions = times.conditions;
  report_.ours = Summary(times.rounds_ns[0], times);
  double best_ns = 0;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    const std::size_t at = finalists[i];
    BaselineAlgorithm& algorithm = report_.algorithms[at];
    const std::vector<double>& samples = times.rounds_ns[i + 1];
    algorithm.measurement = Summary(samples, times);
    algorithm.kind = times.disturbed.empty() ? OutcomeKind::kMeasured : OutcomeKind::kDisturbed;
    algorithm.rule = times.disturbed;
    const RatioEstimate over = EstimateRatio(samples, times.rounds_ns[0]);
    if (report_.best < 0 || algorithm.measurement->median_ns < best_ns) {
      best_ns = algorithm.measurement->median_ns;
      report_.best = static_cast<int>(at);
      report_.over_best = over;
    }
    if (at == 0) {
      report_.first = 0;
      report_.over_first = over;
    }
  }
  report_.verdict =
      times.disturbed.empty() ? tw::Judge(report_.over_best) : ComparisonVerdict::kUndecided;
}

}  // namespace tw
