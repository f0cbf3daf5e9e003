// What the judges take an operand's element for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"

namespace tw {

// The exact value that an operand stands for. tf32 operands are fp32 numbers with a full mantissa,
// and the contract rounds them to the nearest tf32 number: a kernel that cuts the low bits off
// instead fails the bound. Half way between two of them it may be either one (cvt.rna takes the one
// away from zero, a tensor map of tf32 does not): no operand lies there (fill.cuh).
template <class T>
TW_DEVICE double OperandValue(T x) {
  return Widen<double>(x);
}

template <>
TW_DEVICE double OperandValue<tf32>(tf32 x) {
  return __uint_as_float((__float_as_uint(x.value) + 0x1000u) & 0xffffe000u);
}

}  // namespace tw
