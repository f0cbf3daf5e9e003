// SPDX-License-Identifier: Apache-2.0
#include "client/cli/bench.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "client/cli/baseline.h"
#include "client/cli/tune_time.h"

namespace tw::cli {
namespace {

class GeometricMean {
 public:
  void Add(const v1::RatioEstimate* estimate) {
    if (estimate != nullptr) {
      log_sum_ += std::log(estimate->ratio());
      ++count_;
    }
  }

  [[nodiscard]] int Count() const { return count_; }

  [[nodiscard]] std::optional<double> Value() const {
    return count_ > 0 ? std::optional(std::exp(log_sum_ / count_)) : std::nullopt;
  }

 private:
  double log_sum_ = 0;
  int count_ = 0;
};

// Requires: not empty.
double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Counts a verdict; one that this build does not know is undecided.
void Count(BenchSummary& summary, const v1::BaselineReport* report) {
  if (report == nullptr || BestOf(*report) == nullptr) {
    ++summary.no_baseline;
  } else if (report->verdict() == "faster") {
    ++summary.faster;
  } else if (report->verdict() == "tie") {
    ++summary.tie;
  } else if (report->verdict() == "slower") {
    ++summary.slower;
  } else {
    ++summary.undecided;
  }
}

void SumTuneTimes(const Bench& bench, BenchSummary& summary) {
  std::vector<double> seconds;
  double measured_s = 0;
  double idle_s = 0;
  for (const BenchRow& row : bench.rows) {
    const v1::TuneResult& result = row.operation.result();
    const double total_s = result.phases().total_s();
    if (!row.status.ok() || row.operation.from_store() || total_s <= 0) {
      continue;
    }
    seconds.push_back(total_s);
    summary.tune_s += total_s;
    if (const std::optional<double> idle = GpuIdleShare(result)) {
      measured_s += total_s;
      idle_s += *idle * total_s;
    }
  }
  summary.tuned = static_cast<int>(seconds.size());
  if (!seconds.empty()) {
    summary.median_tune_s = Median(std::move(seconds));
  }
  if (measured_s > 0) {
    summary.gpu_idle_share = idle_s / measured_s;
  }
}

}  // namespace

BenchSummary Summarize(const Bench& bench) {
  BenchSummary summary;
  GeometricMean best;
  GeometricMean first;
  for (const BenchRow& row : bench.rows) {
    ++summary.rows;
    if (!row.status.ok()) {
      ++summary.failed;
      continue;
    }
    if (!bench.compares) {
      continue;
    }
    const v1::BaselineReport* report = ReportOf(row);
    Count(summary, report);
    if (report != nullptr) {
      best.Add(OverBest(*report));
      first.Add(OverFirst(*report));
    }
  }
  SumTuneTimes(bench, summary);
  summary.compared = best.Count();
  summary.mean_over_best = best.Value();
  summary.mean_over_first = first.Value();
  return summary;
}

const v1::BaselineReport* ReportOf(const BenchRow& row) {
  const v1::TuneResult& result = row.operation.result();
  return row.status.ok() && result.has_baseline() ? &result.baseline() : nullptr;
}

ExitCode ExitOf(const Bench& bench) {
  if (bench.interrupted) {
    return ExitCode::kInterrupted;
  }
  for (const BenchRow& row : bench.rows) {
    if (!row.status.ok()) {
      return row.code;
    }
  }
  return ExitCode::kOk;
}

}  // namespace tw::cli
