// The mathematical functions of the activations, by the type that the epilogue computes in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

TW_DEVICE float Exp(float x) {
  return expf(x);
}

TW_DEVICE double Exp(double x) {
  return exp(x);
}

// 1 + erf(x). In double it keeps its relative accuracy where it is tiny; in float an error of an
// ulp of 1 stays.
TW_DEVICE float OnePlusErf(float x) {
  return 1.0f + erff(x);
}

TW_DEVICE double OnePlusErf(double x) {
  return erfc(-x);
}

// x * weight(x) with a weight that vanishes towards -inf faster than x grows: below this the
// product is 0 in every type, and -inf has the limit 0, not the NaN of -inf * 0. NaN stays NaN.
template <class T>
TW_DEVICE T Weighted(T x, T weighted) {
  return x < T(-1000) ? T(0) : weighted;
}

}  // namespace tw
