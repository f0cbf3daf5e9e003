// What a bench has found, row by row, and what that comes to. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/exit_codes.h"
#include "client/cli/names.h"
#include "client/cli/shape_file.h"
#include "codegen/core/status.h"

namespace tw::cli {

struct BenchRow {
  Shape shape;
  Status status;                  // ok: `operation` carries a result
  ExitCode code = ExitCode::kOk;  // of a tune that ended like this row
  v1::Operation operation;
};

struct Bench {
  bool compares = false;    // with a library
  std::size_t planned = 0;  // rows; fewer are there where it was interrupted
  std::vector<BenchRow> rows;
  bool interrupted = false;
  std::string unfinished_job;  // goes on although the bench was interrupted; may be empty
};

struct BenchSummary {
  int rows = 0;
  int failed = 0;
  int compared = 0;                       // rows that the means are taken over
  std::optional<double> mean_over_best;   // geometric; above 1 ours is faster
  std::optional<double> mean_over_first;  // over the rows whose first choice is right
  int faster = 0, tie = 0, slower = 0, undecided = 0;
  int no_baseline = 0;  // tuned, but there is nothing to compare with
  // Of the rows that were tuned, not answered from the store.
  int tuned = 0;
  double tune_s = 0;                     // all of them
  double median_tune_s = 0;              // of one
  std::optional<double> gpu_idle_share;  // of the time of those that were measured
};

BenchSummary Summarize(const Bench& bench);

// Null where the row failed or the server compared nothing.
const v1::BaselineReport* ReportOf(const BenchRow& row);

// The first failed row's code; interrupted beats it.
ExitCode ExitOf(const Bench& bench);

}  // namespace tw::cli
