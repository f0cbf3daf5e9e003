// Element types and their conversions. 16-bit floats are held as their bits and converted by PTX,
// so that no CUDA header is needed. Narrowing rounds to nearest even; integers saturate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

struct f16 {
  uint16 bits;
};

struct bf16 {
  uint16 bits;
};

// fp32 storage whose products are formed in tf32.
struct tf32 {
  float value;
};

using s8 = signed char;

TW_DEVICE float ToFloat(f16 x) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(x.bits));
  return f;
}

TW_DEVICE float ToFloat(bf16 x) {
  return __uint_as_float(static_cast<uint32>(x.bits) << 16);
}

// Widening into the accumulator's type: exact.
template <class Acc, class T>
TW_DEVICE Acc Widen(T x) {
  return static_cast<Acc>(x);
}

template <>
TW_DEVICE float Widen<float, f16>(f16 x) {
  return ToFloat(x);
}

template <>
TW_DEVICE float Widen<float, bf16>(bf16 x) {
  return ToFloat(x);
}

template <>
TW_DEVICE float Widen<float, tf32>(tf32 x) {
  return x.value;
}

template <>
TW_DEVICE double Widen<double, f16>(f16 x) {
  return static_cast<double>(ToFloat(x));
}

template <>
TW_DEVICE double Widen<double, bf16>(bf16 x) {
  return static_cast<double>(ToFloat(x));
}

template <>
TW_DEVICE double Widen<double, tf32>(tf32 x) {
  return static_cast<double>(x.value);
}

// Narrowing of a computed value to a storage type.
template <class T>
struct Narrow;

template <>
struct Narrow<double> {
  static TW_DEVICE double From(double x) { return x; }
};

template <>
struct Narrow<float> {
  static TW_DEVICE float From(float x) { return x; }

  static TW_DEVICE float From(double x) { return static_cast<float>(x); }
};

template <>
struct Narrow<tf32> {
  static TW_DEVICE tf32 From(float x) { return {x}; }
};

template <>
struct Narrow<f16> {
  static TW_DEVICE f16 From(float x) {
    f16 r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(x));
    return r;
  }
};

template <>
struct Narrow<bf16> {
  // Round to nearest even by integer arithmetic where the arch has no cvt (before sm_80).
  static TW_DEVICE bf16 From(float x) {
    bf16 r;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r.bits) : "f"(x));
#else
    uint32 u = __float_as_uint(x);
    r.bits = (u & 0x7fffffffu) > 0x7f800000u
                 ? static_cast<uint16>(0x7fff)
                 : static_cast<uint16>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
#endif
    return r;
  }
};

template <>
struct Narrow<int> {
  static TW_DEVICE int From(int x) { return x; }

  static TW_DEVICE int From(double x) {
    int r;
    asm("cvt.rni.sat.s32.f64 %0, %1;" : "=r"(r) : "d"(x));
    return r;
  }
};

}  // namespace tw
