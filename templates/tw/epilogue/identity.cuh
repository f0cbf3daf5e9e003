// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

struct Identity {
  static constexpr bool kIsIdentity = true;

  template <class T>
  static TW_DEVICE T Apply(T x) {
    return x;
  }
};

}  // namespace tw
