// SPDX-License-Identifier: Apache-2.0
#include "client/cli/baseline.h"

namespace tw::cli {
namespace {

const v1::BaselineAlgorithm* At(const v1::BaselineReport& report, int place) {
  const bool inside = place >= 0 && place < report.algorithms_size();
  return inside && report.unavailable().empty() ? &report.algorithms(place) : nullptr;
}

const v1::RatioEstimate* Made(const v1::BaselineAlgorithm* with,
                              const v1::RatioEstimate& estimate) {
  return with != nullptr && estimate.pairs() > 0 && estimate.ratio() > 0 ? &estimate : nullptr;
}

}  // namespace

bool Compares(const v1::StartTuneRequest& request) {
  return request.baseline() != v1::BASELINE_UNSPECIFIED && request.baseline() != v1::BASELINE_NONE;
}

const v1::BaselineAlgorithm* BestOf(const v1::BaselineReport& report) {
  return At(report, report.best());
}

const v1::BaselineAlgorithm* FirstOf(const v1::BaselineReport& report) {
  return At(report, report.first());
}

const v1::RatioEstimate* OverBest(const v1::BaselineReport& report) {
  return Made(BestOf(report), report.over_best());
}

const v1::RatioEstimate* OverFirst(const v1::BaselineReport& report) {
  return Made(FirstOf(report), report.over_first());
}

v1::Regime RegimeOf(const v1::BaselineReport& report) {
  const bool unset = report.regime() == v1::REGIME_UNSPECIFIED;
  return unset ? v1::REGIME_HOT : report.regime();
}

bool Excluded(const v1::BaselineAlgorithm& algorithm) {
  return algorithm.outcome() != "measured" && algorithm.outcome() != "skipped";
}

}  // namespace tw::cli
