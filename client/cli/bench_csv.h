// A bench as comma-separated lines: everything that the table shows and the conditions too. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/bench.h"

namespace tw::cli {

// The line that names the columns, and one row; both end with a newline. Cells are quoted where
// they hold commas; what does not apply is empty.
std::string CsvHeader();
std::string CsvLine(const BenchRow& row);

}  // namespace tw::cli
