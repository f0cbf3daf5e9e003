// Which flag of a problem a column of a shape file sets. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "client/cli/problem_flags.h"

namespace tw::cli {

// Either `flag`, or `part` of `operand`, or none of them: the shape's own name.
struct ShapeColumn {
  std::string_view name;
  std::string ProblemFlags::*flag = nullptr;
  OperandFlags ProblemFlags::*operand = nullptr;
  std::string OperandFlags::*part = nullptr;
};

std::span<const ShapeColumn> RequiredColumns();
std::span<const ShapeColumn> AllColumns();  // the required ones first, and the same objects

// The text that the column sets; null for the name.
std::string* TextOf(ProblemFlags& flags, const ShapeColumn& column);

}  // namespace tw::cli
