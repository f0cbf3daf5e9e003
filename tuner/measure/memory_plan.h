// What a job needs on the device, decided before anything is allocated. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/core/gemm_problem.h"
#include "codegen/core/status.h"
#include "tuner/measure/coverage.h"

namespace tw {

// Bytes of poison on either side of every judged buffer.
inline constexpr std::int64_t kGuardBytes = 16 << 10;

// Alignment of the buffers that are timed, and the slack that a judged buffer needs to start at
// exactly the promised alignment.
inline constexpr std::int64_t kBufferAlignment = 256;

struct MemoryPlan {
  std::vector<FillPattern> trials;  // whose references fit; one at least
  bool sampled = false;             // references of a sample, and checksums
  std::int64_t copies = 1;          // sets of operands that timing rotates over
  std::int64_t judged_bytes = 0;    // guarded operands, D, references
  std::int64_t copy_bytes = 0;      // one timed set

  [[nodiscard]] std::int64_t TotalBytes() const { return judged_bytes + copies * copy_bytes; }
};

struct MemoryLimits {
  std::int64_t free_bytes = 0;
  std::int64_t l2_bytes = 0;
  double full_flops = kFullCoverageFlops;  // past this D is sampled
};

// Cold: as many copies as exceed twice the L2, 4 at least where they are small, at most 4096. Warm:
// one. The workspace comes on top and is checked when it is allocated. ResourceExhausted: the
// smallest set does not fit; the message has the numbers. Requires: normalised, not empty.
Result<MemoryPlan> PlanMemory(const GemmProblem& problem,
                              Objective objective,
                              const MemoryLimits& limits);

// Bytes of a judged buffer with `payload` bytes. Requires: no overflow (Normalize bounds spans).
std::int64_t GuardedBytes(std::int64_t payload, std::int64_t align_bytes);

}  // namespace tw
