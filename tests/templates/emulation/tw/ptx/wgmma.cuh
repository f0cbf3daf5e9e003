// Emulation of templates/tw/ptx/wgmma.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

template <class T, int kN>
struct Wgmma {
  static_assert(kN % 8 == 0 && kN >= 8 && kN <= 256);

  template <bool kMnMajorA, bool kMnMajorB>
  static void Run(float (&d)[std::size_t{kN} / 2], uint64 a, uint64 b, int accumulate) {
    emulation::IssueProduct({a, b, kN, kMnMajorA, kMnMajorB, accumulate != 0,
                             [](std::uint16_t bits) { return ToFloat(T{bits}); }},
                            d);
  }
};

}  // namespace tw
