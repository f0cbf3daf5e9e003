// SPDX-License-Identifier: Apache-2.0
#include "tuner/store/json_baseline.h"

#include <utility>

namespace tw {
namespace {

Json FromRatio(const RatioEstimate& r) {
  return {{"ratio", FromDouble(r.ratio)},
          {"low", FromDouble(r.low)},
          {"high", FromDouble(r.high)},
          {"pairs", r.pairs}};
}

RatioEstimate ToRatio(const Json& json) {
  RatioEstimate r;
  r.ratio = ToDouble(json.at("ratio"));
  r.low = ToDouble(json.at("low"));
  r.high = ToDouble(json.at("high"));
  json.at("pairs").get_to(r.pairs);
  return r;
}

Json FromAlgorithm(const BaselineAlgorithm& a) {
  Json json = {{"index", a.index},
               {"description", a.description},
               {"workspace_bytes", a.workspace_bytes},
               {"kind", Name(a.kind)},
               {"rule", a.rule},
               {"detail", a.detail},
               {"error_ratio", FromDouble(a.error_ratio)},
               {"screened_ns", FromDouble(a.screened_ns)}};
  if (a.measurement)
    json["measurement"] = FromMeasurement(*a.measurement);
  return json;
}

BaselineAlgorithm ToAlgorithm(const Json& json) {
  BaselineAlgorithm a;
  json.at("index").get_to(a.index);
  json.at("description").get_to(a.description);
  json.at("workspace_bytes").get_to(a.workspace_bytes);
  a.kind = ToEnum(json.at("kind"), &ParseOutcomeKind);
  json.at("rule").get_to(a.rule);
  json.at("detail").get_to(a.detail);
  a.error_ratio = ToDouble(json.at("error_ratio"));
  a.screened_ns = ToDouble(json.at("screened_ns"));
  if (json.contains("measurement"))
    a.measurement = ToMeasurement(json.at("measurement"));
  return a;
}

}  // namespace

Json FromBaseline(const BaselineReport& report) {
  Json algorithms = Json::array();
  for (const BaselineAlgorithm& algorithm : report.algorithms)
    algorithms.push_back(FromAlgorithm(algorithm));
  return {{"library", report.library},
          {"unavailable", report.unavailable},
          {"regime", Name(report.regime)},
          {"algorithms", std::move(algorithms)},
          {"best", report.best},
          {"first", report.first},
          {"over_best", FromRatio(report.over_best)},
          {"over_first", FromRatio(report.over_first)},
          {"verdict", Name(report.verdict)},
          {"ours", FromMeasurement(report.ours)},
          {"discarded", report.discarded},
          {"conditions", FromConditions(report.conditions)}};
}

BaselineReport ToBaseline(const Json& json) {
  BaselineReport report;
  json.at("library").get_to(report.library);
  json.at("unavailable").get_to(report.unavailable);
  report.regime = ToEnum(json.at("regime"), &ParseRegime);
  for (const Json& algorithm : json.at("algorithms"))
    report.algorithms.push_back(ToAlgorithm(algorithm));
  json.at("best").get_to(report.best);
  json.at("first").get_to(report.first);
  report.over_best = ToRatio(json.at("over_best"));
  report.over_first = ToRatio(json.at("over_first"));
  report.verdict = ToEnum(json.at("verdict"), &ParseComparisonVerdict);
  report.ours = ToMeasurement(json.at("ours"));
  json.at("discarded").get_to(report.discarded);
  report.conditions = ToConditions(json.at("conditions"));
  return report;
}

}  // namespace tw
