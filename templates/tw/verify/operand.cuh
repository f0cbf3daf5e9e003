// What the judges take an operand's element for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"

namespace tw {

// The exact value that an operand stands for. tf32 operands are fp32 numbers with a full mantissa,
// and the contract rounds them to tf32, to nearest and ties away from zero (cvt.rna): a kernel that
// cuts the low bits off instead fails the bound.
template <class T>
TW_DEVICE double OperandValue(T x) {
  return Widen<double>(x);
}

template <>
TW_DEVICE double OperandValue<tf32>(tf32 x) {
  return __uint_as_float((__float_as_uint(x.value) + 0x1000u) & 0xffffe000u);
}

}  // namespace tw
