// SPDX-License-Identifier: Apache-2.0
#include "client/cli/baseline_json.h"

#include <nlohmann/json.hpp>

#include "client/cli/baseline.h"

namespace tw::cli {
namespace {

// 0 on the wire: not timed.
Json TimeOrNull(double time_ns) {
  return time_ns > 0 ? Json(time_ns) : Json(nullptr);
}

Json AlgorithmsJson(const v1::BaselineReport& report) {
  Json list = Json::array();
  for (const v1::BaselineAlgorithm& algorithm : report.algorithms()) {
    list.push_back({{"index", algorithm.index()},
                    {"description", algorithm.description()},
                    {"workspace_bytes", algorithm.workspace_bytes()},
                    {"outcome", algorithm.outcome()},
                    {"rule", OrNull(algorithm.rule())},
                    {"detail", OrNull(algorithm.detail())},
                    {"error_ratio", algorithm.error_ratio()},
                    {"screened_ns", TimeOrNull(algorithm.screened_ns())},
                    {"time_ns", TimeOrNull(algorithm.time_ns())}});
  }
  return list;
}

Json PlaceJson(const v1::BaselineAlgorithm* algorithm, int place) {
  return algorithm == nullptr ? Json(nullptr) : Json(place);
}

Json RatioJson(const v1::RatioEstimate* estimate) {
  if (estimate == nullptr) {
    return nullptr;
  }
  return {{"ratio", estimate->ratio()},
          {"low", estimate->low()},
          {"high", estimate->high()},
          {"pairs", estimate->pairs()}};
}

Json DiscardedJson(const v1::BaselineReport& report) {
  // A sorted map, so that the object has one spelling.
  nlohmann::json discarded = nlohmann::json::object();
  for (const auto& [reason, count] : report.discarded()) {
    discarded[reason] = count;
  }
  return discarded;
}

}  // namespace

Json ConditionsJson(const v1::Conditions& at) {
  return {{"sm_clock_mhz", at.sm_clock_mhz()},
          {"temperature_c", at.temperature_c()},
          {"power_w", at.power_w()},
          {"power_limit_w", at.power_limit_w()},
          {"throttle_reasons", at.throttle_reasons()}};
}

Json BaselineJson(const v1::BaselineReport& report) {
  return {{"library", OrNull(report.library())},
          {"unavailable", OrNull(report.unavailable())},
          {"regime", Name(RegimeOf(report))},
          {"algorithms", AlgorithmsJson(report)},
          {"best", PlaceJson(BestOf(report), report.best())},
          {"first", PlaceJson(FirstOf(report), report.first())},
          {"over_best", RatioJson(OverBest(report))},
          {"over_first", RatioJson(OverFirst(report))},
          {"verdict", OrNull(report.verdict())},
          {"ours_ns", TimeOrNull(report.ours_ns())},
          {"discarded", DiscardedJson(report)},
          {"conditions",
           report.has_conditions() ? ConditionsJson(report.conditions()) : Json(nullptr)}};
}

}  // namespace tw::cli
