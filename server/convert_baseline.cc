// A comparison with the vendor's library: core -> wire.
// SPDX-License-Identifier: Apache-2.0
#include "server/convert.h"

namespace tw {
namespace {

v1::Regime RegimeToProto(Regime regime) {
  switch (regime) {
    case Regime::kHot:
      return v1::REGIME_HOT;
    case Regime::kCool:
      return v1::REGIME_COOL;
    case Regime::kAlone:
      return v1::REGIME_ALONE;
  }
  return v1::REGIME_UNSPECIFIED;
}

void RatioToProto(const RatioEstimate& ratio, v1::RatioEstimate* proto) {
  proto->set_ratio(ratio.ratio);
  proto->set_low(ratio.low);
  proto->set_high(ratio.high);
  proto->set_pairs(ratio.pairs);
}

void AlgorithmToProto(const BaselineAlgorithm& algorithm, v1::BaselineAlgorithm* proto) {
  proto->set_index(algorithm.index);
  proto->set_description(algorithm.description);
  proto->set_workspace_bytes(algorithm.workspace_bytes);
  proto->set_outcome(std::string(Name(algorithm.kind)));
  proto->set_rule(algorithm.rule);
  proto->set_detail(algorithm.detail);
  proto->set_error_ratio(algorithm.error_ratio);
  proto->set_screened_ns(algorithm.screened_ns);
  if (algorithm.measurement)
    proto->set_time_ns(algorithm.measurement->median_ns);
}

}  // namespace

void ToProto(const BaselineReport& report, v1::BaselineReport* proto) {
  proto->set_library(report.library);
  proto->set_unavailable(report.unavailable);
  proto->set_regime(RegimeToProto(report.regime));
  for (const BaselineAlgorithm& algorithm : report.algorithms)
    AlgorithmToProto(algorithm, proto->add_algorithms());
  proto->set_best(report.best);
  proto->set_first(report.first);
  RatioToProto(report.over_best, proto->mutable_over_best());
  RatioToProto(report.over_first, proto->mutable_over_first());
  proto->set_verdict(std::string(Name(report.verdict)));
  proto->set_ours_ns(report.ours.median_ns);
  proto->mutable_discarded()->insert(report.discarded.begin(), report.discarded.end());
  ToProto(report.conditions, proto->mutable_conditions());
}

}  // namespace tw
