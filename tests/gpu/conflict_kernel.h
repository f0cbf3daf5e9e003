// Kernels that read a tile by ldmatrix as tuner/search/bank_conflicts.h supposes: each 16-byte
// chunk of 16 rows once, eight rows a phase, four phases a warp. Nothing else touches shared
// memory. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/core/candidate.h"
#include "tuner/search/bank_conflicts.h"

namespace tw {

struct ConflictCase {
  std::string name;  // the kernel's entry, too
  SharedLayout layout;
};

// Rows of three widths: as they are, padded, swizzled.
std::vector<ConflictCase> ConflictCases();

// ldmatrix phases of a launch.
std::int64_t PhasesOf(const ConflictCase& layout);

// Conflicts of a launch that the search predicts.
std::int64_t PredictedConflicts(const ConflictCase& layout);

// One parameter: the address of four bytes for each thread.
KernelSource ConflictSource(const ConflictCase& layout, const std::string& arch);

// Threads of the only block.
std::uint32_t ConflictThreads(const ConflictCase& layout);

}  // namespace tw
