// Where a fill pattern takes an element from. Shared with the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/verify/params.h"
#include "tw/verify/random.cuh"

namespace tw {

// scale times the value that the pattern draws for the hash.
struct FillTerm {
  uint64 hash;
  float scale;  // +-2^e
};

TW_HD inline float RandomScale(uint64 hash) {
  constexpr int kScales = 7;  // 2^-4 .. 2^2
  return static_cast<float>(1 << ((hash >> 40) % kScales)) / 16.0f;
}

// Sign of the index in a checksum.
TW_HD inline double RandomSign(int64 index, uint64 seed) {
  return (HashCounter(static_cast<uint64>(index), seed) >> 40 & 1) != 0 ? 1.0 : -1.0;
}

TW_HD inline FillTerm TermOf(const FillParams& p, KAxis axis, Position at, uint64 seed) {
  float scale = 1;
  if (p.pattern == FillPattern::kCancelling && axis != KAxis::kNone) {
    int64& k = axis == KAxis::kRows ? at.row : at.col;
    int64 half = (axis == KAxis::kRows ? p.matrix.rows : p.matrix.cols) / 2;
    if (k >= half && k < 2 * half) {
      k -= half;
      scale = axis == KAxis::kCols ? -1.0f : 1.0f;  // of A only
    }
  }
  if (p.pattern == FillPattern::kMagnitudes && axis != KAxis::kNone) {
    int64 line =
        axis == KAxis::kRows ? at.item * p.matrix.cols + at.col : at.item * p.matrix.rows + at.row;
    scale = RandomScale(HashCounter(static_cast<uint64>(line), ~seed));
  }
  return {HashCounter(static_cast<uint64>(OffsetOf(p.matrix, at)), seed), scale};
}

// Whether the values are integers.
TW_HD inline bool DrawsIntegers(FillPattern pattern) {
  return pattern == FillPattern::kIntegers || pattern == FillPattern::kOnes;
}

// A scale: +-1 or +-2 where every sum is to stay exact, else +-1/4 to +-4 with a full mantissa.
TW_HD inline float ScaleValue(FillPattern pattern, uint64 hash) {
  float size = 1;
  if (DrawsIntegers(pattern)) {
    size = (hash >> 40 & 1) != 0 ? 2.0f : 1.0f;
  } else {
    const float fraction = static_cast<float>(hash & 0x7fffff) / 8388608.0f;
    size = (1.0f + fraction) * static_cast<float>(1 << (hash >> 40 & 3)) / 4.0f;
  }
  return (hash >> 50 & 1) != 0 ? -size : size;
}

// The seed of one of the copies.
TW_HD inline uint64 SeedOfCopy(uint64 seed, int64 copy) {
  return seed + static_cast<uint64>(copy) * 7919u;
}

}  // namespace tw
