// Emulation of templates/tw/ptx/mma_sync.cuh: fragments by the PTX manual's lane maps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <type_traits>

#include "tests/templates/emulation/machine.h"
#include "tw/dtype.cuh"

namespace tw {

namespace emulation {

template <class Acc>
struct MmaLane {
  Acc* d;
  const uint32* a;
  const uint32* b;
};

// Element `index` of a register.
template <class T>
double ElementOf(uint32 word, std::size_t index) {
  if constexpr (sizeof(T) == 4) {
    // The unit ignores the 13 low bits.
    return static_cast<double>(std::bit_cast<float>(word & 0xffffe000U));
  } else if constexpr (sizeof(T) == 2) {
    return static_cast<double>(ToFloat(T{static_cast<uint16>(word >> (16 * index) & 0xffffU)}));
  } else if constexpr (std::is_same_v<T, s8>) {
    return static_cast<double>(static_cast<signed char>(word >> (8 * index) & 0xffU));
  } else {
    return static_cast<double>(ToFloat(T{static_cast<uint8>(word >> (8 * index) & 0xffU)}));
  }
}

template <class A, class B, class Acc>
void Mma(const std::array<void*, kWarp>& operands) {
  static_assert(sizeof(A) == sizeof(B));
  constexpr std::size_t kPerWord = 4 / sizeof(A);
  constexpr std::size_t kDepth = 8 * kPerWord;
  double a[16][kDepth];
  double b[kDepth][8];
  for (std::size_t l = 0; l < kWarp; ++l) {
    const auto* lane = static_cast<const MmaLane<Acc>*>(operands.at(l));
    const std::size_t group = l / 4;
    for (std::size_t i = 0; i < kPerWord; ++i) {
      const std::size_t k = l % 4 * kPerWord + i;
      for (std::size_t word = 0; word < 4; ++word)
        a[group + word % 2 * 8][k + word / 2 * (kDepth / 2)] = ElementOf<A>(lane->a[word], i);
      for (std::size_t word = 0; word < 2; ++word)
        b[k + word * (kDepth / 2)][group] = ElementOf<B>(lane->b[word], i);
    }
  }
  for (std::size_t l = 0; l < kWarp; ++l) {
    const auto* lane = static_cast<const MmaLane<Acc>*>(operands.at(l));
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t row = l / 4 + i / 2 * 8;
      const std::size_t column = l % 4 * 2 + i % 2;
      double sum = static_cast<double>(lane->d[i]);
      for (std::size_t k = 0; k < kDepth; ++k)
        sum += a[row][k] * b[k][column];
      lane->d[i] = static_cast<Acc>(sum);
    }
  }
}

}  // namespace emulation

template <class A, class B>
struct MmaSync {
  template <class Acc>
  static void Run(Acc (&d)[4], const uint32* a, const uint32* b) {
    emulation::MmaLane<Acc> lane{d, a, b};
    emulation::Current().Collect(&lane, &emulation::Mma<A, B, Acc>);
  }
};

// Nearest, ties away from zero.
inline uint32 RoundToTf32(uint32 bits) {
  return (bits + 0x1000U) & 0xffffe000U;
}

}  // namespace tw
