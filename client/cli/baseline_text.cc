// SPDX-License-Identifier: Apache-2.0
#include "client/cli/baseline_text.h"

#include <cstdint>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "client/cli/baseline.h"
#include "client/cli/format.h"

namespace tw::cli {
namespace {

std::string AgainstText(const v1::BaselineReport& report) {
  if (OverBest(report) == nullptr) {
    return "nothing: " + NoVerdictText(report);
  }
  return fmt::format("{}, in turns ({}): {}", report.library(), Name(RegimeOf(report)),
                     VerdictText(report));
}

// "#2 id 66 tile 23, 358.1 us, workspace 4.0 MiB".
std::string AlgorithmText(const v1::BaselineAlgorithm* algorithm) {
  if (algorithm == nullptr) {
    return {};
  }
  std::string text = fmt::format("#{} {}", algorithm->index(), algorithm->description());
  if (algorithm->time_ns() > 0) {
    text += ", " + FormatNanoseconds(algorithm->time_ns());
  }
  if (algorithm->workspace_bytes() > 0) {
    text += ", workspace " + FormatBytes(algorithm->workspace_bytes());
  }
  return text;
}

std::string OursText(const v1::BaselineReport& report) {
  if (report.ours_ns() <= 0) {
    return {};
  }
  std::string text = FormatNanoseconds(report.ours_ns());
  if (report.has_conditions()) {
    text += " at " + ConditionsText(report.conditions());
  }
  const std::string discarded = DiscardedText(report);
  return discarded.empty() ? text : text + "; rounds thrown away: " + discarded;
}

}  // namespace

std::string ConditionsText(const v1::Conditions& at) {
  return fmt::format("{:.0f} MHz, {:.0f} C, {:.0f} of {:.0f} W, throttling: {}", at.sm_clock_mhz(),
                     at.temperature_c(), at.power_w(), at.power_limit_w(),
                     FormatThrottleReasons(at.throttle_reasons()));
}

std::string VerdictText(const v1::BaselineReport& report) {
  const v1::RatioEstimate& best = *OverBest(report);
  std::string text =
      fmt::format("{:.3f} of its best ({:.3f} to {:.3f}, {} pairs): {}", best.ratio(), best.low(),
                  best.high(), best.pairs(), report.verdict());
  if (const v1::RatioEstimate* first = OverFirst(report); first != nullptr) {
    text += fmt::format("; {:.3f} of its first choice", first->ratio());
  }
  return text;
}

std::string NoVerdictText(const v1::BaselineReport& report) {
  if (!report.unavailable().empty()) {
    return report.unavailable();
  }
  if (report.algorithms().empty()) {
    return report.library() + " offers no algorithm";
  }
  if (BestOf(report) == nullptr) {
    return fmt::format("none of {}'s {} algorithms is right", report.library(),
                       report.algorithms_size());
  }
  return "no round with " + report.library() + " was undisturbed";
}

std::string ExcludedText(const v1::BaselineAlgorithm& algorithm) {
  std::string text = fmt::format("#{} {}: {}", algorithm.index(), algorithm.description(),
                                 algorithm.rule().empty() ? algorithm.outcome() : algorithm.rule());
  return algorithm.detail().empty() ? text : text + ": " + algorithm.detail();
}

std::string DiscardedText(const v1::BaselineReport& report) {
  const std::map<std::string_view, std::int64_t> sorted(report.discarded().begin(),
                                                        report.discarded().end());
  std::string text;
  for (const auto& [reason, count] : sorted) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", reason, count);
  }
  return text;
}

std::string BaselineText(const v1::BaselineReport& report) {
  std::string text = FormatLine("against", AgainstText(report));
  text += FormatLine("its best", AlgorithmText(BestOf(report)));
  text += FormatLine("its first", AlgorithmText(FirstOf(report)));
  text += FormatLine("in turns", OursText(report));
  for (const v1::BaselineAlgorithm& algorithm : report.algorithms()) {
    text += Excluded(algorithm) ? FormatLine("excluded", ExcludedText(algorithm)) : std::string();
  }
  return text;
}

}  // namespace tw::cli
