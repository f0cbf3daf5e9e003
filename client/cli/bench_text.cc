// SPDX-License-Identifier: Apache-2.0
#include "client/cli/bench_text.h"

#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "client/cli/baseline.h"
#include "client/cli/baseline_text.h"
#include "client/cli/format.h"

namespace tw::cli {
namespace {

using Cells = std::vector<std::string>;

constexpr std::string_view kNothing = "-";

void Append(Cells& cells, Cells more) {
  cells.insert(cells.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

std::string Microseconds(double time_ns) {
  return time_ns > 0 ? fmt::format("{:.2f}", time_ns * 1e-3) : std::string(kNothing);
}

Cells HeadingOf(bool compares) {
  Cells cells{"NAME", "M N K", "BATCH", "TYPE", "LAYOUT", "STATE", "US", "TFLOP/S", "SPREAD"};
  if (compares) {
    Append(cells, {"OURS US", "BEST US", "FIRST US", "RATIO", "INTERVAL", "VERDICT", "OVER FIRST"});
  }
  return cells;
}

Cells ProblemCells(const Shape& shape) {
  const v1::GemmProblem& p = shape.key.problem();
  return {shape.name, fmt::format("{} {} {}", p.m(), p.n(), p.k()),
          std::to_string(p.has_batch() ? p.batch() : 1), std::string(Name(p.a().type())),
          LayoutText(p.a().major(), p.b().major())};
}

// State, time, rate and spread of the tune itself.
Cells TuneCells(const BenchRow& row) {
  const v1::TuneResult& result = row.operation.result();
  if (!row.status.ok() || result.empty_problem()) {
    Cells cells(4, std::string(kNothing));
    cells.front() = row.status.ok() ? "EMPTY" : "FAILED";
    return cells;
  }
  std::string spread(kNothing);
  if (result.state() != v1::RESULT_STATE_PREDICTED && result.time_ns() > 0) {
    const double percent = 100 * (result.ci_high_ns() - result.ci_low_ns()) / result.time_ns();
    spread = fmt::format("{:.2f} %", percent);
  }
  return {std::string(Name(result.state())), Microseconds(result.time_ns()),
          fmt::format("{:.1f}", result.tflops()), spread};
}

// The times in turns, and what they say.
Cells ComparisonCells(const BenchRow& row) {
  Cells cells(7, std::string(kNothing));
  const v1::BaselineReport* report = ReportOf(row);
  if (report == nullptr || BestOf(*report) == nullptr) {
    return cells;
  }
  cells[0] = Microseconds(report->ours_ns());
  cells[1] = Microseconds(BestOf(*report)->time_ns());
  if (FirstOf(*report) != nullptr) {
    cells[2] = Microseconds(FirstOf(*report)->time_ns());
  }
  if (const v1::RatioEstimate* best = OverBest(*report); best != nullptr) {
    cells[3] = fmt::format("{:.3f}", best->ratio());
    cells[4] = fmt::format("{:.3f} to {:.3f}", best->low(), best->high());
  }
  cells[5] = report->verdict();
  if (const v1::RatioEstimate* first = OverFirst(*report); first != nullptr) {
    cells[6] = fmt::format("{:.3f}", first->ratio());
  }
  return cells;
}

std::string NoBaselineText(const BenchRow& row) {
  const v1::BaselineReport* report = ReportOf(row);
  if (report == nullptr) {
    return "the server compared nothing";
  }
  return OverBest(*report) == nullptr ? NoVerdictText(*report) : std::string();
}

// What the table has no room for.
std::string NotesOf(const BenchRow& row, bool compares) {
  const std::string prefix = row.shape.name + ": ";
  if (!row.status.ok()) {
    return FormatLine("failed", prefix + row.status.message());
  }
  if (!compares) {
    return {};
  }
  std::string text;
  if (const std::string why = NoBaselineText(row); !why.empty()) {
    text += FormatLine("no baseline", prefix + why);
  }
  const v1::BaselineReport* report = ReportOf(row);
  if (report == nullptr) {
    return text;
  }
  for (const v1::BaselineAlgorithm& algorithm : report->algorithms()) {
    if (Excluded(algorithm)) {
      text += FormatLine("excluded", prefix + ExcludedText(algorithm));
    }
  }
  if (const std::string discarded = DiscardedText(*report); !discarded.empty()) {
    text += FormatLine("discarded", prefix + discarded);
  }
  return text;
}

// Of the first row that has one: a bench runs on one machine.
std::string LibraryOf(const Bench& bench) {
  for (const BenchRow& row : bench.rows) {
    const v1::BaselineReport* report = ReportOf(row);
    if (report != nullptr && !report->library().empty()) {
      return fmt::format("{}, in turns ({})", report->library(), Name(RegimeOf(*report)));
    }
  }
  return {};
}

std::string MeanText(const BenchSummary& summary) {
  if (!summary.mean_over_best) {
    return {};
  }
  std::string text =
      fmt::format("{:.3f} of its best over {} rows", *summary.mean_over_best, summary.compared);
  if (summary.mean_over_first) {
    text += fmt::format(", {:.3f} of its first choice", *summary.mean_over_first);
  }
  return text;
}

std::string TuneTimeText(const BenchSummary& summary) {
  if (summary.tuned == 0) {
    return {};
  }
  std::string text =
      fmt::format("{} rows in {}, median {}", summary.tuned, FormatSeconds(summary.tune_s),
                  FormatSeconds(summary.median_tune_s));
  if (summary.gpu_idle_share) {
    text += fmt::format(", GPU idle {:.0f} % of it", 100 * *summary.gpu_idle_share);
  }
  return text;
}

std::string SummaryText(const Bench& bench) {
  const BenchSummary summary = Summarize(bench);
  std::string text = FormatLine(
      "rows", fmt::format("{} of {}, {} failed", summary.rows, bench.planned, summary.failed));
  text += FormatLine("tuning", TuneTimeText(summary));
  if (!bench.compares) {
    return text;
  }
  text += FormatLine("against", LibraryOf(bench));
  text += FormatLine("mean", MeanText(summary));
  return text + FormatLine("verdicts", fmt::format("faster {}, tie {}, slower {}, undecided {}, "
                                                   "no baseline {}",
                                                   summary.faster, summary.tie, summary.slower,
                                                   summary.undecided, summary.no_baseline));
}

}  // namespace

std::string BenchText(const Bench& bench) {
  std::vector<Cells> table{HeadingOf(bench.compares)};
  std::string notes;
  for (const BenchRow& row : bench.rows) {
    Cells cells = ProblemCells(row.shape);
    Append(cells, TuneCells(row));
    if (bench.compares) {
      Append(cells, ComparisonCells(row));
    }
    table.push_back(std::move(cells));
    notes += NotesOf(row, bench.compares);
  }
  return FormatTable(table) + "\n" + notes + SummaryText(bench);
}

std::string RowText(const BenchRow& row) {
  if (!row.status.ok()) {
    return "failed: " + row.status.message();
  }
  const v1::TuneResult& result = row.operation.result();
  if (result.empty_problem()) {
    return "nothing to launch";
  }
  std::string text =
      fmt::format("{}, {:.4g} TFLOP/s", FormatNanoseconds(result.time_ns()), result.tflops());
  const v1::BaselineReport* report = ReportOf(row);
  if (report == nullptr) {
    return text;
  }
  const bool compared = OverBest(*report) != nullptr;
  return text + "; against " +
         (compared ? report->library() + ": " + VerdictText(*report)
                   : "nothing: " + NoVerdictText(*report));
}

}  // namespace tw::cli
