// Comparisons with the vendor's library.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker/convert.h"
#include "tuner/worker/convert_text.h"

namespace tw {
namespace {

// A position in the list of algorithms, or -1.
Result<int> Position(int value, const wire::BaselineReport& report) {
  if (value < -1 || value >= report.algorithms_size())
    return Damaged("position " + std::to_string(value));
  return value;
}

Result<Regime> RegimeOf(const std::string& name) {
  const std::optional<Regime> regime = ParseRegime(name);
  if (!regime)
    return Damaged("regime '" + name + "'");
  return *regime;
}

}  // namespace

wire::RatioEstimate ToProto(const RatioEstimate& estimate) {
  wire::RatioEstimate out;
  out.set_ratio(estimate.ratio);
  out.set_low(estimate.low);
  out.set_high(estimate.high);
  out.set_pairs(estimate.pairs);
  return out;
}

RatioEstimate FromProto(const wire::RatioEstimate& estimate) {
  return {.ratio = estimate.ratio(),
          .low = estimate.low(),
          .high = estimate.high(),
          .pairs = estimate.pairs()};
}

wire::BaselineAlgorithm ToProto(const BaselineAlgorithm& algorithm) {
  wire::BaselineAlgorithm out;
  out.set_index(algorithm.index);
  out.set_description(Ascii(algorithm.description));
  out.set_workspace_bytes(algorithm.workspace_bytes);
  out.set_kind(std::string(Name(algorithm.kind)));
  out.set_rule(algorithm.rule);
  out.set_detail(Ascii(algorithm.detail));
  out.set_error_ratio(algorithm.error_ratio);
  out.set_screened_ns(algorithm.screened_ns);
  if (algorithm.measurement)
    *out.mutable_measurement() = ToProto(*algorithm.measurement);
  return out;
}

Result<BaselineAlgorithm> FromProto(const wire::BaselineAlgorithm& algorithm) {
  const std::optional<OutcomeKind> kind = ParseOutcomeKind(algorithm.kind());
  if (!kind)
    return Damaged("outcome kind '" + algorithm.kind() + "'");
  BaselineAlgorithm out;
  out.index = algorithm.index();
  out.description = algorithm.description();
  out.workspace_bytes = algorithm.workspace_bytes();
  out.kind = *kind;
  out.rule = algorithm.rule();
  out.detail = algorithm.detail();
  out.error_ratio = algorithm.error_ratio();
  out.screened_ns = algorithm.screened_ns();
  if (algorithm.has_measurement())
    out.measurement = FromProto(algorithm.measurement());
  return out;
}

wire::BaselineOptions ToProto(const BaselineOptions& options) {
  wire::BaselineOptions out;
  out.set_regime(std::string(Name(options.regime)));
  out.set_workspace_limit_bytes(options.workspace_limit_bytes);
  out.set_screen_rounds(options.screen_rounds);
  out.set_finalists(options.finalists);
  out.set_min_rounds(options.min_rounds);
  out.set_max_rounds(options.max_rounds);
  out.set_max_seconds(options.max_seconds);
  return out;
}

Result<BaselineOptions> FromProto(const wire::BaselineOptions& options) {
  TW_ASSIGN_OR_RETURN(const Regime regime, RegimeOf(options.regime()));
  return BaselineOptions{.regime = regime,
                         .workspace_limit_bytes = options.workspace_limit_bytes(),
                         .screen_rounds = options.screen_rounds(),
                         .finalists = options.finalists(),
                         .min_rounds = options.min_rounds(),
                         .max_rounds = options.max_rounds(),
                         .max_seconds = options.max_seconds()};
}

wire::BaselineReport ToProto(const BaselineReport& report) {
  wire::BaselineReport out;
  out.set_library(report.library);
  out.set_unavailable(Ascii(report.unavailable));
  out.set_regime(std::string(Name(report.regime)));
  for (const BaselineAlgorithm& algorithm : report.algorithms)
    *out.add_algorithms() = ToProto(algorithm);
  out.set_best(report.best);
  out.set_first(report.first);
  *out.mutable_over_best() = ToProto(report.over_best);
  *out.mutable_over_first() = ToProto(report.over_first);
  out.set_verdict(std::string(Name(report.verdict)));
  *out.mutable_ours() = ToProto(report.ours);
  out.mutable_discarded()->insert(report.discarded.begin(), report.discarded.end());
  *out.mutable_conditions() = ToProto(report.conditions);
  return out;
}

Result<BaselineReport> FromProto(const wire::BaselineReport& report) {
  BaselineReport out;
  out.library = report.library();
  out.unavailable = report.unavailable();
  TW_ASSIGN_OR_RETURN(out.regime, RegimeOf(report.regime()));
  for (const wire::BaselineAlgorithm& row : report.algorithms()) {
    TW_ASSIGN_OR_RETURN(BaselineAlgorithm algorithm, FromProto(row));
    out.algorithms.push_back(std::move(algorithm));
  }
  TW_ASSIGN_OR_RETURN(out.best, Position(report.best(), report));
  TW_ASSIGN_OR_RETURN(out.first, Position(report.first(), report));
  out.over_best = FromProto(report.over_best());
  out.over_first = FromProto(report.over_first());
  const std::optional<ComparisonVerdict> verdict = ParseComparisonVerdict(report.verdict());
  if (!verdict)
    return Damaged("verdict '" + report.verdict() + "'");
  out.verdict = *verdict;
  out.ours = FromProto(report.ours());
  out.discarded = {report.discarded().begin(), report.discarded().end()};
  out.conditions = FromProto(report.conditions());
  return out;
}

}  // namespace tw
