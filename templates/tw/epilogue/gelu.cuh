// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/epilogue/math.cuh"

namespace tw {

// x * Phi(x), Phi the distribution function of N(0, 1).
struct GeluErf {
  static constexpr bool kIsIdentity = false;

  template <class T>
  static TW_DEVICE T Apply(T x) {
    return Weighted(x, T(0.5) * x * OnePlusErf(x * T(0.70710678118654752440)));
  }
};

// The approximation 0.5 x (1 + tanh(u)), u = sqrt(2 / pi) (x + 0.044715 x^3). With
// 0.5 (1 + tanh(u)) = 1 / (1 + exp(-2 u)) it takes one exponential.
struct GeluTanh {
  static constexpr bool kIsIdentity = false;

  template <class T>
  static TW_DEVICE T Apply(T x) {
    const T u = T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
    return Weighted(x, x / (T(1) + Exp(T(-2) * u)));
  }
};

}  // namespace tw
