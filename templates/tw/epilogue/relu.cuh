// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

// NaN stays NaN.
struct Relu {
  static constexpr bool kIsIdentity = false;

  template <class T>
  static TW_DEVICE T Apply(T x) {
    return x < T(0) ? T(0) : x;
  }
};

}  // namespace tw
