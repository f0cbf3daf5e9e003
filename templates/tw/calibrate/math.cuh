// Matrix products in registers, on data that toggle: what draws the power that sets the clock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/calibrate/ticks.cuh"
#include "tw/ptx/mma_sync.cuh"
#include "tw/verify/random.cuh"

namespace tw {

// The largest product of f16 that the architecture's mma.sync takes, and its words in a thread.
struct MmaK16 {
  static constexpr int kWordsOfA = 4;
  static constexpr int kWordsOfB = 2;

  static TW_DEVICE void Run(float (&d)[4], const uint32* a, const uint32* b) {
    MmaSync<f16, f16>::Run(d, a, b);
  }
};

// sm_75 has no longer one.
struct MmaK8 {
  static constexpr int kWordsOfA = 2;
  static constexpr int kWordsOfB = 1;

  static TW_DEVICE void Run(float (&d)[4], const uint32* a, const uint32* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  }
};

// Two values of f16 of any sign and fraction, from 0.5 up to 1.
TW_DEVICE uint32 ToggledHalves(uint64 counter) {
  constexpr uint32 kSignsAndFractions = 0x83ff83ffu;
  constexpr uint32 kHalf = 0x38003800u;
  constexpr uint64 kSeed = 1;
  return (static_cast<uint32>(HashCounter(counter, kSeed) >> 16) & kSignsAndFractions) | kHalf;
}

// kCalibrateProducts a step: kSums independent sums hide the unit's latency; each takes kTurns
// operands in turn, the second half of which undoes the first, so that sums stay finite for ever.
template <class Mma>
TW_DEVICE void Multiply(const CalibrateMathParams& p) {
  constexpr int kSums = 8;
  constexpr int kTurns = kCalibrateProducts / kSums;
  constexpr uint32 kSigns = 0x80008000u;
  static_assert(kSums * kTurns == kCalibrateProducts && kTurns % 2 == 0, "whole turns, in pairs");
  constexpr uint64 kWords = 64;  // of a thread, more than it needs
  const uint64 first = (static_cast<uint64>(blockIdx.x) * blockDim.x + threadIdx.x) * kWords;
  uint32 a[2][Mma::kWordsOfA];
  uint32 b[kTurns][Mma::kWordsOfB];
#pragma unroll
  for (int i = 0; i < 2 * Mma::kWordsOfA; ++i)
    a[i / Mma::kWordsOfA][i % Mma::kWordsOfA] = ToggledHalves(first + i);
#pragma unroll
  for (int i = 0; i < kTurns / 2 * Mma::kWordsOfB; ++i) {
    const uint32 word = ToggledHalves(first + 2 * Mma::kWordsOfA + i);
    b[i / Mma::kWordsOfB][i % Mma::kWordsOfB] = word;
    b[i / Mma::kWordsOfB + kTurns / 2][i % Mma::kWordsOfB] = word ^ kSigns;
  }
  float sums[kSums][4] = {};
  const BlockTicks start = StartTicks();
  for (int64 step = 0; step < p.steps; ++step) {
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
#pragma unroll
      for (int i = 0; i < kSums; ++i)
        Mma::Run(sums[i], a[i % 2], b[turn]);
    }
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i)
    sum += sums[i][0] + sums[i][1] + sums[i][2] + sums[i][3];
  if (sum > 1e30f)
    *p.sink = 1;
  StopTicks(start, p.ticks);
}

}  // namespace tw
