// The kernel argument of families that load by TMA, shared with the host: passed by value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/params.h"

namespace tw {

// A descriptor that the driver encoded; opaque.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

template <int kMaps>
struct TmaParams {
  GemmParams gemm;
  TensorMap maps[kMaps];
};

static_assert(sizeof(TmaParams<1>) == 192 + 128, "maps follow at the next multiple of 64 bytes");

}  // namespace tw
