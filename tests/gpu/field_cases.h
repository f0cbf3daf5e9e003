// Products on which kernels and tuners of others went wrong in public, by the id of the case. Those
// of a family of cases that ask for something else than right results are tests elsewhere, or not
// yet possible: see the list at the end of field_cases.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "codegen/core/candidate.h"
#include "codegen/core/gemm_problem.h"

namespace tw {

struct FieldCase {
  std::string id;  // "C001"
  std::vector<GemmProblem> problems;
  std::size_t candidates = 4;  // of each problem, of all families in turns
  // Which candidates the case is about; empty: all.
  std::function<bool(const Candidate&)> only = {};
};

std::vector<FieldCase> FieldCases();

}  // namespace tw
