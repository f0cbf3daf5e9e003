// SPDX-License-Identifier: Apache-2.0
#include "tuner/funnel.h"

namespace tw {
namespace {

void Count(const CandidateReport& report, Funnel& funnel) {
  if (!report.compiled.empty()) {
    ++funnel["compiled"];
  }
  switch (report.kind) {
    case OutcomeKind::kCompiled:
      return;  // counted by its resources
    case OutcomeKind::kMeasured:
      ++funnel["measured"];
      return;
    case OutcomeKind::kPruned:
      ++funnel["pruned:" + report.rule];
      return;
    case OutcomeKind::kSkipped:
      ++funnel["skipped"];
      if (report.rule == kSkippedByQuarantine) {
        ++funnel["quarantined:" + report.config.family];
      }
      return;
    case OutcomeKind::kCompileError:
    case OutcomeKind::kLaunchError:
    case OutcomeKind::kWrongResult:
    case OutcomeKind::kTimedOut:
    case OutcomeKind::kCrashed:
    case OutcomeKind::kDisturbed:
      break;
  }
  const std::string name(Name(report.kind));
  ++funnel[name];
  if (!report.rule.empty()) {
    ++funnel[name + ":" + report.rule];
  }
}

bool TellsOfFailure(const std::string& name) {
  for (const char* progress :
       {"space", "legal", "selected", "compiled", "measured", "finalists", "reused", "seeded"}) {
    if (name == progress) {
      return false;
    }
  }
  return true;
}

}  // namespace

Funnel BuildFunnel(const Space& space,
                   std::int64_t legal,
                   std::span<const CandidateReport> reports) {
  Funnel funnel;
  funnel["space"] = space.enumerated;
  funnel["legal"] = legal;
  funnel["selected"] = static_cast<std::int64_t>(reports.size());
  for (const auto& [rule, count] : space.pruned) {
    funnel["pruned:" + rule] += count;
  }
  for (const CandidateReport& report : reports) {
    Count(report, funnel);
  }
  return funnel;
}

std::string FailureText(const Funnel& funnel) {
  std::string text;
  for (const auto& [name, count] : funnel) {
    if (TellsOfFailure(name)) {
      text.append(text.empty() ? "" : ", ").append(name).append(" ").append(std::to_string(count));
    }
  }
  return text;
}

}  // namespace tw
