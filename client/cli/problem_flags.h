// The flags that name a problem and where it is to run, shared by tune, lookup, explain and source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/cli11_forward.h"
#include "client/cli/names.h"
#include "codegen/core/status.h"

namespace tw::cli {

// Texts as typed; empty: not given.
struct OperandFlags {
  std::string leading_dimension;
  std::string batch_stride;
  std::string align_bytes;
};

struct ProblemFlags {
  std::string m, n, k, batch;
  std::string dtype = "bf16";
  std::string dtype_b, accumulate, out_dtype;
  std::string layout = "nn";
  std::string layout_c, layout_d;
  OperandFlags a, b, c, d;
  std::string alpha, beta, bias, activation, scale, fp8_accumulate;
  std::string arch, device, objective;
  bool nondeterministic = false;
  bool batch_invariant = false;
};

// Registers every flag on `command`; `flags` must outlive the parse.
void AddProblemFlags(CLI::App& command, ProblemFlags& flags);

// Only those that do not tell problems apart: device, objective and numerics contract.
void AddTargetFlags(CLI::App& command, ProblemFlags& flags);

// InvalidArgument names field, value and rule for what is no number or no known word. Ranges and
// combinations are checked by the daemon.
Result<v1::Key> BuildKey(const ProblemFlags& flags);

}  // namespace tw::cli
