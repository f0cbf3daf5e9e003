// Element types and their conversions. 16-bit floats are held as their bits and converted by PTX,
// so that no CUDA header is needed; 8-bit floats likewise. Narrowing rounds to nearest even;
// integers and 8-bit floats saturate. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"
#include "tw/fp8.h"

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

struct e4m3 {
  uint8 bits;
};

struct e5m2 {
  uint8 bits;
};

TW_DEVICE float ToFloat(f16 x) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(x.bits));
  return f;
}

TW_DEVICE float ToFloat(bf16 x) {
  return __uint_as_float(static_cast<uint32>(x.bits) << 16);
}

// The f16 with the same fraction has an exponent that is 8 too small.
TW_DEVICE float ToFloat(e4m3 x) {
  uint32 size = x.bits & 0x7fu;
  f16 half = {static_cast<uint16>((x.bits & 0x80u) << 8 | size << 7)};
  return size == kFp8Nan ? __uint_as_float(0x7fc00000u) : ToFloat(half) * 256.0f;
}

TW_DEVICE float ToFloat(e5m2 x) {
  return ToFloat(f16{static_cast<uint16>(x.bits << 8)});
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
TW_DEVICE float Widen<float, e4m3>(e4m3 x) {
  return ToFloat(x);
}

template <>
TW_DEVICE float Widen<float, e5m2>(e5m2 x) {
  return ToFloat(x);
}

template <>
TW_DEVICE double Widen<double, e4m3>(e4m3 x) {
  return static_cast<double>(ToFloat(x));
}

template <>
TW_DEVICE double Widen<double, e5m2>(e5m2 x) {
  return static_cast<double>(ToFloat(x));
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

// Nearest in two roundings is not nearest: the first one, of a double that is to become a shorter
// type than float, goes to the odd neighbour, which remembers on which side of a tie it was.
TW_DEVICE float ToOddFloat(double x) {
  float cut = __double2float_rz(x);
  return static_cast<double>(cut) == x || x != x ? cut : __uint_as_float(__float_as_uint(cut) | 1u);
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

  static TW_DEVICE f16 From(double x) { return From(ToOddFloat(x)); }
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

  static TW_DEVICE bf16 From(double x) {
    return From(ToOddFloat(x));
  }
};

template <>
struct Narrow<e4m3> {
  static TW_DEVICE e4m3 From(float x) {
#if __CUDA_ARCH__ >= 890
    uint16 pair;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
    return {static_cast<uint8>(pair)};
#else
    return {EncodeFp8<E4m3Format>(x)};
#endif
  }
};

template <>
struct Narrow<e5m2> {
  static TW_DEVICE e5m2 From(float x) {
#if __CUDA_ARCH__ >= 890
    uint16 pair;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
    return {static_cast<uint8>(pair)};
#else
    return {EncodeFp8<E5m2Format>(x)};
#endif
  }
};

template <>
struct Narrow<s8> {
  static TW_DEVICE s8 From(int x) {
    int r;
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(r) : "r"(x));
    return static_cast<s8>(r);
  }

  static TW_DEVICE s8 From(double x) {
    int r;
    asm("cvt.rni.sat.s8.f64 %0, %1;" : "=r"(r) : "d"(x));
    return static_cast<s8>(r);
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
