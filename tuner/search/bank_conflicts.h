// Bank conflicts of reads from shared memory: 32 banks of 4 bytes, one word of each a wavefront.
// Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "codegen/core/candidate.h"
#include "codegen/core/gemm_problem.h"

namespace tw {

// How the rows of a tile lie in shared memory, from an address that is a multiple of 1024.
struct SharedLayout {
  int row_bytes = 0;  // a multiple of 16
  int pad_bytes = 0;  // after each row
  // The XOR swizzle of 16-byte chunks of tw/swizzle.h: all three bits of a row's chunk from 128
  // bytes on, two at 64, one at 32, none below. Requires: row_bytes is a power of two, no padding.
  bool swizzled = false;
};

// Wavefronts that one ldmatrix phase takes, which reads one 16-byte chunk of eight consecutive
// rows: 1 is free of conflicts, 8 the worst. The worst of all phases of the tile.
int LdmatrixWays(const SharedLayout& layout);

// What a profiler counts as conflicts: wavefronts beyond one for each of `phases`.
std::int64_t ExtraWavefronts(int ways, std::int64_t phases);

// ldmatrix phases that read `bytes`: 128 bytes each.
std::int64_t LdmatrixPhases(std::int64_t bytes);

// Of the reads of A and B in a candidate's main loop.
struct BankConflicts {
  int ways_a = 1, ways_b = 1;
  std::int64_t extra_wavefronts = 0;  // of one block in one k block
};

// mma_sync: by its layouts (tw/operand_layout.h). wgmma_tma: none, both operands have the
// hardware's 128-byte swizzle. Any other family, simt included: nothing, for its plan does not say
// how a warp's reads of a row are cut into wavefronts.
std::optional<BankConflicts> BankConflictsOf(const GemmProblem& problem,
                                             const Candidate& candidate);

}  // namespace tw
