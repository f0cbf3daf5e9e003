// Pruning by what the compiler really made: registers, spills, occupancy. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/families/family.h"
#include "codegen/occupancy.h"

namespace tw {

// Most registers and shared memory over the entries that `launch` names.
struct CompiledNeeds {
  int registers = 0;            // per thread
  std::int64_t smem_bytes = 0;  // static + dynamic, per block
  int spill_bytes = 0;          // stores + loads
};

CompiledNeeds NeedsOf(const CompiledKernel& kernel, const LaunchPlan& launch);

// What a block of `launch` takes of an SM; nothing where the machine code lacks its entry.
std::optional<BlockNeeds> BlockNeedsOf(const CompiledKernel& kernel, const KernelLaunch& launch);

// The first rule that the compiled kernel breaks; nullopt if none:
//   missing_entry   the machine code lacks an entry that the launch plan names
//   serialised      ptxas says that wgmma runs one at a time, or that setmaxnreg is ignored
//   spills          more than 64 bytes spilled: the main loop runs from local memory
//   occupancy_zero  no block fits on an SM with the real registers and shared memory
std::optional<Rejection> RejectCompiled(const DeviceSpec& device,
                                        const CompiledKernel& kernel,
                                        const LaunchPlan& launch);

}  // namespace tw
