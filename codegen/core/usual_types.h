// The types of a product for which nobody said more than that of A.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/core/dtype.h"

namespace tw {

struct UsualTypes {
  DType accumulate;
  DType output;
};

UsualTypes UsualTypesOf(DType a);

}  // namespace tw
