// Emulation of templates/tw/ptx/wgmma.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "tests/templates/emulation/products.h"
#include "tw/base.cuh"
#include "tw/dtype.cuh"

namespace tw {

inline void WgmmaFence() {
  emulation::FenceProducts();
}

inline void WgmmaCommit() {
  emulation::CommitProducts();
}

template <int kPending>
void WgmmaWait() {
  emulation::WaitForProducts(kPending);
}

// Of an operand in shared memory.
template <class T>
double WidenProduct(const std::byte* from) {
  T x;
  std::memcpy(&x, from, sizeof(T));
  return static_cast<double>(Widen<float>(x));
}

// The unit ignores what tf32 has not.
template <>
inline double WidenProduct<tf32>(const std::byte* from) {
  uint32 bits = 0;
  std::memcpy(&bits, from, sizeof(bits));
  return static_cast<double>(std::bit_cast<float>(bits & 0xffffe000U));
}

template <class A, class B, int kN>
struct Wgmma {
  static constexpr bool kIntegers = std::is_same_v<A, s8>;
  static_assert(kN % 8 == 0 && kN >= 8 && kN <= 256);
  static_assert(!kIntegers || kN % 16 == 0 || kN <= 24);
  static_assert(sizeof(A) == sizeof(B));

  template <bool kMnMajorA, bool kMnMajorB, class Sum>
  static void Run(Sum (&d)[std::size_t{kN} / 2], uint64 a, uint64 b, int accumulate) {
    static_assert(std::is_same_v<Sum, std::conditional_t<kIntegers, int, float>>);
    static_assert(sizeof(A) == 2 || (!kMnMajorA && !kMnMajorB));
    emulation::IssueProduct({a, b, kN, kMnMajorA, kMnMajorB, accumulate != 0, kIntegers,
                             static_cast<int>(sizeof(A)), WidenProduct<A>, WidenProduct<B>},
                            d);
  }
};

}  // namespace tw
