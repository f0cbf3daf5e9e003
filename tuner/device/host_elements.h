// Elements of the device's types in host memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "codegen/core/dtype.h"

namespace tw {

// The value at `bytes`, exact. Requires: BytesOf(type) bytes.
double LoadElement(DType type, const std::byte* bytes);

// Rounds to nearest even, overflows to infinity; integers round and saturate. NaN stays NaN.
void StoreElement(DType type, double value, std::byte* bytes);

}  // namespace tw
