// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/bank_conflicts.h"

#include <algorithm>
#include <array>
#include <vector>

#include "codegen/core/check.h"
#include "tuner/search/execution.h"
#include "tw/swizzle.h"

namespace tw {
namespace {

constexpr int kBanks = 32;
constexpr int kWordBytes = 4;
constexpr int kPhaseRows = 8;
constexpr int kPhaseBytes = kPhaseRows * kChunkBytes;
constexpr int kNarrowestSwizzle = 32;  // bytes of a row

// One wavefront's worth of a read: `rows` rows, `row_step` apart, `bytes` of each from one column.
struct ReadShape {
  int rows = 0, row_step = 1;
  int bytes = 0;
};

struct Place {
  int pitch = 0;
  Swizzle swizzle;
};

// Most words of one bank.
int WaysAt(const Place& place, const ReadShape& read, int first_row, int column) {
  std::array<int, kBanks> words{};
  for (int i = 0; i < read.rows; ++i) {
    for (int byte = 0; byte < read.bytes; byte += kWordBytes) {
      const int offset =
          place.swizzle.Offset(place.pitch, first_row + i * read.row_step, column + byte);
      ++words.at(static_cast<std::size_t>(offset / kWordBytes % kBanks));
    }
  }
  return *std::max_element(words.begin(), words.end());
}

// The worst over the columns of a row and over the eight rows that swizzles repeat after.
int Ways(const Place& place, const ReadShape& read, int row_bytes) {
  int ways = 1;
  for (int column = 0; column + read.bytes <= row_bytes; column += read.bytes) {
    const int starts = read.row_step == 1 ? kPhaseRows / read.rows : read.row_step;
    for (int start = 0; start < starts; ++start) {
      const int first_row = read.row_step == 1 ? start * read.rows : start;
      ways = std::max(ways, WaysAt(place, read, first_row, column));
    }
  }
  return ways;
}

constexpr ReadShape kLdmatrixPhase{.rows = kPhaseRows, .row_step = 1, .bytes = kChunkBytes};

// An operand's tile of mma_sync as OperandLayout has it.
struct OperandTile {
  int extent = 0;  // along M or N
  int tile_k = 0;
  int element_bytes = 0;
  bool k_major = false;
};

int MmaSyncWays(const OperandTile& tile) {
  const int pitch = (tile.k_major ? tile.tile_k : tile.extent) * tile.element_bytes;
  if (tile.k_major || tile.element_bytes == 2) {
    return Ways({.pitch = pitch, .swizzle = ChunkSwizzle(pitch)}, kLdmatrixPhase, pitch);
  }
  // Not K-major: 4-byte elements one by one, bytes as 4x4 blocks.
  if (tile.element_bytes == 4) {
    return Ways({.pitch = pitch, .swizzle = WordSwizzle(pitch)},
                {.rows = 4, .row_step = 1, .bytes = 32}, pitch);
  }
  return Ways({.pitch = pitch, .swizzle = FourRowSwizzle(pitch)},
              {.rows = 4, .row_step = 4, .bytes = 32}, pitch);
}

BankConflicts OfMmaSync(const GemmProblem& problem, const Candidate& candidate) {
  const Resources& r = candidate.resources;
  const int bytes = BytesOf(problem.a.type);
  const WarpTile warp = WarpTileOf(candidate);
  const std::int64_t warps = static_cast<std::int64_t>(r.tile_m / warp.m) * (r.tile_n / warp.n);
  BankConflicts conflicts;
  conflicts.ways_a = MmaSyncWays({.extent = r.tile_m,
                                  .tile_k = r.tile_k,
                                  .element_bytes = bytes,
                                  .k_major = problem.a.major == Major::kRow});
  conflicts.ways_b = MmaSyncWays({.extent = r.tile_n,
                                  .tile_k = r.tile_k,
                                  .element_bytes = bytes,
                                  .k_major = problem.b.major == Major::kCol});
  // Every kind of read takes 128 bytes a wavefront at best, as ldmatrix does.
  const std::int64_t k_bytes = static_cast<std::int64_t>(r.tile_k) * bytes;
  conflicts.extra_wavefronts =
      ExtraWavefronts(conflicts.ways_a, LdmatrixPhases(warps * warp.m * k_bytes)) +
      ExtraWavefronts(conflicts.ways_b, LdmatrixPhases(warps * warp.n * k_bytes));
  return conflicts;
}

}  // namespace

int LdmatrixWays(const SharedLayout& layout) {
  TW_CHECK(layout.row_bytes >= kChunkBytes && layout.row_bytes % kChunkBytes == 0 &&
           layout.pad_bytes % kChunkBytes == 0);
  TW_CHECK(!layout.swizzled || layout.pad_bytes == 0);
  const bool swizzles = layout.swizzled && layout.row_bytes >= kNarrowestSwizzle;
  return Ways({.pitch = layout.row_bytes + layout.pad_bytes,
               .swizzle = swizzles ? ChunkSwizzle(layout.row_bytes) : Swizzle{}},
              kLdmatrixPhase, layout.row_bytes);
}

std::int64_t ExtraWavefronts(int ways, std::int64_t phases) {
  TW_CHECK(ways >= 1 && phases >= 0);
  return (ways - 1) * phases;
}

std::int64_t LdmatrixPhases(std::int64_t bytes) {
  return bytes / kPhaseBytes;
}

std::optional<BankConflicts> BankConflictsOf(const GemmProblem& problem,
                                             const Candidate& candidate) {
  if (candidate.config.family == "mma_sync") {
    return OfMmaSync(problem, candidate);
  }
  if (candidate.config.family == "wgmma_tma") {
    const int ways = LdmatrixWays({.row_bytes = kBankRowBytes, .pad_bytes = 0, .swizzled = true});
    return BankConflicts{.ways_a = ways, .ways_b = ways, .extra_wavefronts = 0};
  }
  return std::nullopt;
}

}  // namespace tw
