// Emulation of templates/tw/dtype.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>

#include "tw/base.cuh"

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

inline float ToFloat(f16 x) {
  return static_cast<float>(std::bit_cast<_Float16>(x.bits));
}

inline float ToFloat(bf16 x) {
  return std::bit_cast<float>(static_cast<uint32>(x.bits) << 16U);
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
};

template <>
struct Narrow<f16> {
  static f16 From(float x) { return {std::bit_cast<uint16>(static_cast<_Float16>(x))}; }
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
struct Narrow<int> {
  static int From(int x) { return x; }

  static int From(double x) { return static_cast<int>(std::nearbyint(x)); }
};

}  // namespace tw
