// SPDX-License-Identifier: Apache-2.0
#include "tuner/triage.h"

#include <string>
#include <utility>

#include "tuner/compiled_rules.h"

namespace tw {
namespace {

constexpr std::size_t kMaxDetailBytes = 400;

// The line of a compiler's log that says what is wrong: its first error, else its first line.
std::string FirstError(const std::string& log) {
  const std::size_t error = log.find("error");
  std::size_t begin = 0;
  if (error != std::string::npos) {
    const std::size_t newline = log.rfind('\n', error);
    begin = newline == std::string::npos ? 0 : newline + 1;
  }
  return log.substr(begin, std::min(log.find('\n', begin) - begin, kMaxDetailBytes));
}

// Whether the status tells of the compiler or of a cancellation rather than of the candidate.
bool EndsTheTune(const Status& status) {
  return status.code() == StatusCode::kCancelled || status.code() == StatusCode::kUnavailable;
}

std::string RuleOf(const Status& status) {
  if (status.code() == StatusCode::kInvalidArgument) {
    return "rejected";
  }
  return status.code() == StatusCode::kDeadlineExceeded ? "compile_timeout" : "compiler_failed";
}

}  // namespace

CandidateReport InitialReport(const Candidate& candidate) {
  CandidateReport report;
  report.candidate_id = candidate.id;
  report.config = candidate.config;
  report.resources = candidate.resources;
  report.predicted_ns = candidate.predicted_ns;
  report.predicted_bound = candidate.predicted_bound;
  return report;
}

Result<Triaged> Triage(const TuneContext& context, CompiledCandidate item) {
  Triaged triaged{.report = InitialReport(item.candidate), .run = std::nullopt};
  CandidateReport& report = triaged.report;
  if (!item.kernel.ok()) {
    const Status& status = item.kernel.status();
    if (item.source.ok() && EndsTheTune(status)) {
      return status;
    }
    report.kind = OutcomeKind::kCompileError;
    report.rule = item.source.ok() ? RuleOf(status) : "source";
    report.detail = FirstError(status.message());
    if (item.source.ok()) {
      report.artifact_digest = item.source->digest;
    }
    return triaged;
  }
  report.artifact_digest = item.source->digest;
  report.compiled = item.kernel->entries;
  LaunchPlan launch = context.Launch(item.candidate.config);
  if (std::optional<Rejection> rejection =
          RejectCompiled(context.spec.device, *item.kernel, launch)) {
    report.kind = OutcomeKind::kPruned;
    report.rule = std::move(rejection->rule);
    report.detail = std::move(rejection->detail);
    return triaged;
  }
  report.kind = OutcomeKind::kCompiled;
  triaged.run = CandidateRun{.candidate_id = item.candidate.id,
                             .kernel = *std::move(item.kernel),
                             .launch = std::move(launch),
                             .source = std::move(item.source->text)};
  return triaged;
}

}  // namespace tw
