// SPDX-License-Identifier: Apache-2.0
#include "client/cli/bench_csv.h"

#include <string_view>

#include <fmt/format.h>

#include "client/cli/baseline.h"
#include "client/cli/baseline_text.h"
#include "client/cli/format.h"
#include "client/cli/tune_time.h"

namespace tw::cli {
namespace {

// Unset messages read as their defaults, so that a failed row needs no second table of columns.
struct Facts {
  const BenchRow& row;
  const v1::GemmProblem& problem;
  const v1::TuneResult& result;
  const v1::BaselineReport& report;
  bool measured;
};

struct Column {
  std::string_view name;
  std::string (*cell)(const Facts& facts);
};

std::string Positive(double value) {
  return value > 0 ? fmt::format("{:.6g}", value) : std::string();
}

std::string Microseconds(double time_ns) {
  return Positive(time_ns * 1e-3);
}

std::string StateText(const Facts& f) {
  if (!f.row.status.ok()) {
    return "FAILED";
  }
  return f.result.empty_problem() ? "EMPTY" : std::string(Name(f.result.state()));
}

std::string SpreadText(const Facts& f) {
  return f.measured && f.result.time_ns() > 0
             ? fmt::format("{:.4g}",
                           (f.result.ci_high_ns() - f.result.ci_low_ns()) / f.result.time_ns())
             : std::string();
}

std::string TimeOf(const v1::BaselineAlgorithm* algorithm) {
  return algorithm == nullptr ? std::string() : Microseconds(algorithm->time_ns());
}

std::string NameOf(const v1::BaselineAlgorithm* algorithm) {
  return algorithm == nullptr ? std::string()
                              : fmt::format("#{} {}", algorithm->index(), algorithm->description());
}

std::string Ratio(const v1::RatioEstimate* estimate, double (v1::RatioEstimate::*part)() const) {
  return estimate == nullptr ? std::string() : fmt::format("{:.5f}", (estimate->*part)());
}

std::string PairsOf(const v1::RatioEstimate* estimate) {
  return estimate == nullptr ? std::string() : std::to_string(estimate->pairs());
}

std::string ExcludedOnes(const v1::BaselineReport& report) {
  std::string text;
  for (const v1::BaselineAlgorithm& algorithm : report.algorithms()) {
    if (Excluded(algorithm)) {
      text.append(text.empty() ? "" : "; ").append(ExcludedText(algorithm));
    }
  }
  return text;
}

std::string NoteOf(const Facts& f) {
  if (!f.row.status.ok()) {
    return f.row.status.message();
  }
  const bool nothing = f.result.has_baseline() && OverBest(f.report) == nullptr;
  return nothing ? NoVerdictText(f.report) : std::string();
}

std::string RegimeText(const Facts& f) {
  return f.result.has_baseline() ? std::string(Name(RegimeOf(f.report))) : std::string();
}

std::string VerdictOf(const Facts& f) {
  return BestOf(f.report) != nullptr ? f.report.verdict() : std::string();
}

std::string ReasonsOf(bool known, const v1::Conditions& at) {
  return known ? FormatThrottleReasons(at.throttle_reasons()) : std::string();
}

using Part = v1::RatioEstimate;

constexpr Column kColumns[] = {
    {"name", [](const Facts& f) { return f.row.shape.name; }},
    {"m", [](const Facts& f) { return std::to_string(f.problem.m()); }},
    {"n", [](const Facts& f) { return std::to_string(f.problem.n()); }},
    {"k", [](const Facts& f) { return std::to_string(f.problem.k()); }},
    {"batch",
     [](const Facts& f) { return std::to_string(f.problem.has_batch() ? f.problem.batch() : 1); }},
    {"dtype", [](const Facts& f) { return std::string(Name(f.problem.a().type())); }},
    {"layout",
     [](const Facts& f) { return LayoutText(f.problem.a().major(), f.problem.b().major()); }},
    {"state", StateText},
    {"time_us", [](const Facts& f) { return Microseconds(f.result.time_ns()); }},
    {"ci_low_us", [](const Facts& f) { return Microseconds(f.result.ci_low_ns()); }},
    {"ci_high_us", [](const Facts& f) { return Microseconds(f.result.ci_high_ns()); }},
    {"spread", SpreadText},
    {"tflops", [](const Facts& f) { return Positive(f.result.tflops()); }},
    {"error_ratio",
     [](const Facts& f) {
       return f.measured ? fmt::format("{:.4g}", f.result.error_ratio()) : std::string();
     }},
    {"candidate_id", [](const Facts& f) { return f.result.candidate_id(); }},
    {"config", [](const Facts& f) { return f.result.config(); }},
    {"sm_clock_mhz", [](const Facts& f) { return Positive(f.result.conditions().sm_clock_mhz()); }},
    {"temperature_c",
     [](const Facts& f) { return Positive(f.result.conditions().temperature_c()); }},
    {"power_w", [](const Facts& f) { return Positive(f.result.conditions().power_w()); }},
    {"power_limit_w",
     [](const Facts& f) { return Positive(f.result.conditions().power_limit_w()); }},
    {"throttling",
     [](const Facts& f) { return ReasonsOf(f.result.has_conditions(), f.result.conditions()); }},
    {"total_s", [](const Facts& f) { return Positive(f.result.phases().total_s()); }},
    {"gpu_idle_share",
     [](const Facts& f) {
       const std::optional<double> idle = GpuIdleShare(f.result);
       return idle ? fmt::format("{:.3f}", *idle) : std::string();
     }},
    {"from_store",
     [](const Facts& f) { return std::string(f.row.operation.from_store() ? "yes" : "no"); }},
    {"device", [](const Facts& f) { return f.result.device_name(); }},
    {"device_uuid", [](const Facts& f) { return f.result.device_uuid(); }},
    {"driver",
     [](const Facts& f) {
       return f.result.driver_version() > 0 ? FormatCudaVersion(f.result.driver_version())
                                            : std::string();
     }},
    {"compiler", [](const Facts& f) { return f.result.compiler(); }},
    {"library", [](const Facts& f) { return f.report.library(); }},
    {"regime", RegimeText},
    {"ours_us", [](const Facts& f) { return Microseconds(f.report.ours_ns()); }},
    {"best_us", [](const Facts& f) { return TimeOf(BestOf(f.report)); }},
    {"best_algorithm", [](const Facts& f) { return NameOf(BestOf(f.report)); }},
    {"first_us", [](const Facts& f) { return TimeOf(FirstOf(f.report)); }},
    {"first_algorithm", [](const Facts& f) { return NameOf(FirstOf(f.report)); }},
    {"over_best", [](const Facts& f) { return Ratio(OverBest(f.report), &Part::ratio); }},
    {"over_best_low", [](const Facts& f) { return Ratio(OverBest(f.report), &Part::low); }},
    {"over_best_high", [](const Facts& f) { return Ratio(OverBest(f.report), &Part::high); }},
    {"over_best_pairs", [](const Facts& f) { return PairsOf(OverBest(f.report)); }},
    {"verdict", VerdictOf},
    {"over_first", [](const Facts& f) { return Ratio(OverFirst(f.report), &Part::ratio); }},
    {"over_first_low", [](const Facts& f) { return Ratio(OverFirst(f.report), &Part::low); }},
    {"over_first_high", [](const Facts& f) { return Ratio(OverFirst(f.report), &Part::high); }},
    {"over_first_pairs", [](const Facts& f) { return PairsOf(OverFirst(f.report)); }},
    {"excluded", [](const Facts& f) { return ExcludedOnes(f.report); }},
    {"discarded", [](const Facts& f) { return DiscardedText(f.report); }},
    {"compared_sm_clock_mhz",
     [](const Facts& f) { return Positive(f.report.conditions().sm_clock_mhz()); }},
    {"compared_temperature_c",
     [](const Facts& f) { return Positive(f.report.conditions().temperature_c()); }},
    {"compared_power_w", [](const Facts& f) { return Positive(f.report.conditions().power_w()); }},
    {"compared_power_limit_w",
     [](const Facts& f) { return Positive(f.report.conditions().power_limit_w()); }},
    {"compared_throttling",
     [](const Facts& f) { return ReasonsOf(f.report.has_conditions(), f.report.conditions()); }},
    {"note", NoteOf},
};

// RFC 4180.
std::string Quoted(std::string text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char letter : text) {
    quoted.append(letter == '"' ? 2 : 1, letter);
  }
  return quoted + "\"";
}

}  // namespace

std::string CsvHeader() {
  std::string line;
  for (const Column& column : kColumns) {
    line.append(line.empty() ? "" : ",").append(column.name);
  }
  return line + "\n";
}

std::string CsvLine(const BenchRow& row) {
  const v1::TuneResult& result = row.operation.result();
  const bool measured =
      row.status.ok() && !result.empty_problem() && result.state() != v1::RESULT_STATE_PREDICTED;
  const Facts facts{row, row.shape.key.problem(), result, result.baseline(), measured};
  std::string line;
  for (const Column& column : kColumns) {
    line.append(&column == kColumns ? "" : ",").append(Quoted(column.cell(facts)));
  }
  return line + "\n";
}

}  // namespace tw::cli
