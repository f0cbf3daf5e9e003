// Emulation of templates/tw/dtype.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "tw/base.cuh"
#include "tw/fp8.h"

namespace tw {

struct f16 {
  uint16 bits;
};

struct bf16 {
  uint16 bits;
};

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

inline float ToFloat(f16 x) {
  const float sign = (x.bits & 0x8000U) != 0 ? -1.0F : 1.0F;
  const int exponent = x.bits >> 10U & 0x1fU;
  const int fraction = x.bits & 0x3ffU;
  if (exponent == 0x1f)
    return fraction != 0 ? std::nanf("") : sign * HUGE_VALF;
  if (exponent == 0)
    return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

inline float ToFloat(bf16 x) {
  return std::bit_cast<float>(static_cast<uint32>(x.bits) << 16U);
}

inline float ToFloat(e4m3 x) {
  const float sign = (x.bits & 0x80U) != 0 ? -1.0F : 1.0F;
  const int exponent = x.bits >> 3U & 0xfU;
  const int fraction = x.bits & 0x7U;
  if (exponent == 0xf && fraction == 0x7)
    return std::nanf("");
  if (exponent == 0)
    return sign * std::ldexp(static_cast<float>(fraction), -9);
  return sign * std::ldexp(static_cast<float>(fraction + 8), exponent - 10);
}

inline float ToFloat(e5m2 x) {
  return ToFloat(f16{static_cast<uint16>(x.bits << 8U)});
}

inline float ToFloat(tf32 x) {
  return x.value;
}

inline float ToFloat(float x) {
  return x;
}

inline int ToFloat(int x) {
  return x;
}

template <class Acc, class T>
Acc Widen(T x) {
  return static_cast<Acc>(ToFloat(x));
}

template <class T>
struct Narrow;

template <>
struct Narrow<float> {
  static float From(float x) { return x; }

  static float From(double x) { return static_cast<float>(x); }
};

template <>
struct Narrow<f16> {
  // In units of the last place, then the exponent in front; a carry into it is right.
  static f16 From(float x) {
    if (x != x)
      return {0x7fff};
    const auto sign = static_cast<uint16>(std::signbit(x) ? 0x8000U : 0U);
    const float magnitude = std::fabs(x);
    if (magnitude == 0)
      return {sign};
    if (std::isinf(magnitude))
      return {static_cast<uint16>(sign | 0x7c00U)};
    const int exponent = std::max(std::ilogb(magnitude), -14);
    const auto units = static_cast<uint32>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    const uint32 bits = (static_cast<uint32>(exponent + 15) << 10U) + units - 1024U;
    return {static_cast<uint16>(sign | std::min(bits, 0x7c00U))};
  }
};

template <>
struct Narrow<bf16> {
  static bf16 From(float x) {
    const uint32 u = std::bit_cast<uint32>(x);
    if (x != x)
      return {0x7fff};
    return {static_cast<uint16>((u + 0x7fffU + (u >> 16U & 1U)) >> 16U)};
  }
};

template <>
struct Narrow<e4m3> {
  static e4m3 From(float x) { return {EncodeFp8<E4m3Format>(x)}; }
};

template <>
struct Narrow<e5m2> {
  static e5m2 From(float x) { return {EncodeFp8<E5m2Format>(x)}; }
};

template <>
struct Narrow<s8> {
  static s8 From(int x) { return static_cast<s8>(std::clamp(x, -128, 127)); }

  static s8 From(double x) { return static_cast<s8>(std::nearbyint(std::clamp(x, -128.0, 127.0))); }
};

template <>
struct Narrow<int> {
  static int From(int x) { return x; }

  static int From(double x) { return static_cast<int>(std::nearbyint(x)); }
};

}  // namespace tw
