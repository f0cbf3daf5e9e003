// A bench as a table for people. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/bench.h"

namespace tw::cli {

// The table, below it what went wrong with which row, then the summary.
std::string BenchText(const Bench& bench);

// A finished row in one line: "568.4 us, 649.8 TFLOP/s; against cublaslt 13.0.2: 0.630 of …".
std::string RowText(const BenchRow& row);

}  // namespace tw::cli
