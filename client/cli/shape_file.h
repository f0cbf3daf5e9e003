// The shapes that a bench goes through: comma-separated lines under a header. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/cli/names.h"
#include "client/cli/problem_flags.h"
#include "codegen/core/status.h"

namespace tw::cli {

struct Shape {
  std::string name;
  int line = 0;  // in its file, from 1
  v1::Key key;
};

// The header names the columns, in any order: name, m, n, k, batch, dtype and layout, and any of
// the problem's other flags with underscores (out_dtype, lda, stride_b, bias, …; an empty cell is
// the default). Lines that begin with # and blank ones are skipped. `base` holds what the file does
// not say (device, objective, …). The first thing that is wrong is "PATH:LINE: FIELD = VALUE:
// RULE".
Result<std::vector<Shape>> ParseShapes(std::string_view text,
                                       const std::string& path,
                                       const ProblemFlags& base);

// Lists with commas between; empty: no condition.
struct ShapeFilter {
  std::string names, dtypes;
};

// The shapes of those names and types of A, in the file's order. InvalidArgument where a wanted
// name or type is unknown or matches no shape, or where none is left.
Result<std::vector<Shape>> SelectShapes(const std::vector<Shape>& shapes,
                                        const ShapeFilter& filter);

// Cells between commas: "a,,b" has three, "" has one.
std::vector<std::string> SplitAtCommas(std::string_view line);

}  // namespace tw::cli
