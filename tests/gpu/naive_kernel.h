// A candidate that is right for every problem, and slow; with one fault where asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"

namespace tw {

enum class Fault : int {
  kNone,
  kDropsLastTerm,      // of K
  kSkipsLastElement,   // leaves it unwritten
  kWritesNan,          // into the last element
  kWritesPastD,        // one element
  kReadsPastA,         // adds what lies after A's last element
  kDiffersByRun,       // the last element's lowest bit, every other run
  kHalfPrecisionSums,  // keeps two partial sums in D's type
  kWideLoad,           // reads 16 bytes of A at once, whatever its alignment
  kTruncatesTf32,      // cuts tf32 operands off instead of rounding them
  kIllegalAddress,     // writes to nowhere
};

// Source with the entry "naive". Requires: a product of at least one term.
KernelSource NaiveSource(const GemmProblem& problem, const DeviceSpec& device, Fault fault);

LaunchPlan NaivePlan(const GemmProblem& problem);

}  // namespace tw
