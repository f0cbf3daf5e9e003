// What one command needs to judge an offending candidate again: a folder a person can read, too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "codegen/core/candidate.h"
#include "codegen/core/gemm_problem.h"
#include "codegen/core/outcome.h"
#include "codegen/core/status.h"
#include "tuner/measure/verdict.h"

namespace tw {

struct Repro {
  GemmProblem problem;  // normalised
  std::string candidate_id;
  std::string arch;
  std::string source;         // empty where only machine code is known
  std::string cubin;          // empty where the candidate did not compile
  std::string support_cubin;  // of the judging kernels
  LaunchPlan launch;
  std::uint64_t seed = 1;  // of the operands
  bool check_determinism = true;
  Objective objective = Objective::kCold;  // what is timed is judged again
  Verdict verdict;

  friend bool operator==(const Repro&, const Repro&) = default;
};

// FOLDER/problem.txt, kernel.cu, kernel.cubin, support.cubin and repro.json (the rest), which comes
// last: a folder that has one is whole. Creates the folder, replaces its files. Any error of the
// file system names the file.
Status WriteRepro(const std::filesystem::path& folder, const Repro& repro);

// NotFound: no such file. InvalidArgument: not what WriteRepro leaves; names file and reason.
Result<Repro> ReadRepro(const std::filesystem::path& folder);

}  // namespace tw
