// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/usual_types.h"

namespace tw {

UsualTypes UsualTypesOf(DType a) {
  switch (a) {
    case DType::kF64:
      return {DType::kF64, DType::kF64};
    case DType::kF16:
      return {DType::kF32, DType::kF16};
    case DType::kBf16:
    case DType::kE4m3:
    case DType::kE5m2:
      return {DType::kF32, DType::kBf16};
    case DType::kS8:
    case DType::kS32:
      return {DType::kS32, DType::kS32};
    case DType::kF32:
    case DType::kTf32:
      break;
  }
  return {DType::kF32, DType::kF32};
}

}  // namespace tw
