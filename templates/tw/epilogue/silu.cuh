// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/epilogue/math.cuh"

namespace tw {

// x / (1 + exp(-x)).
struct Silu {
  static constexpr bool kIsIdentity = false;

  template <class T>
  static TW_DEVICE T Apply(T x) {
    return Weighted(x, x / (T(1) + Exp(-x)));
  }
};

}  // namespace tw
