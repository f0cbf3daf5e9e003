// The two 8-bit float formats as bits: for devices that cannot convert them (before sm_89), and for
// the host, which tests it. e4m3 has neither infinity nor NaNs but 0x7f and 0xff, and 448 as its
// largest value; e5m2 is the upper half of an f16.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

// kMaxBits: of the largest finite value.
template <int kMantissaBits, int kMinExponentOf, int kMaxBitsOf>
struct Fp8Format {
  static constexpr int kMantissa = kMantissaBits;
  static constexpr int kMinExponent = kMinExponentOf;
  static constexpr uint32 kMaxBits = kMaxBitsOf;
};

using E4m3Format = Fp8Format<3, -6, 0x7e>;
using E5m2Format = Fp8Format<2, -14, 0x7b>;

inline constexpr uint32 kFp8Nan = 0x7f;

// Rounds to nearest even; what is beyond the largest value, infinity too, becomes it; NaN stays
// NaN.
template <class Format>
TW_HD inline uint8 EncodeFp8(float x) {
  union Bits {
    float value;
    uint32 bits;
  };

  Bits u;
  u.value = x;
  const uint32 sign = (u.bits >> 24) & 0x80u;
  const uint32 size = u.bits & 0x7fffffffu;
  if (size > 0x7f800000u)
    return static_cast<uint8>(kFp8Nan);
  const int exponent = static_cast<int>(size >> 23) - 127;
  constexpr int kMaxExponent =
      static_cast<int>(Format::kMaxBits >> Format::kMantissa) - 1 + Format::kMinExponent;
  if (exponent > kMaxExponent)
    return static_cast<uint8>(sign | Format::kMaxBits);
  const int least = exponent < Format::kMinExponent ? Format::kMinExponent : exponent;
  // In steps of the last place, which are integers; 2^23 has no bits for more.
  Bits scale;
  scale.bits = static_cast<uint32>(127 + Format::kMantissa - least) << 23;
  u.bits = size;
  const float rounded = (u.value * scale.value + 8388608.0f) - 8388608.0f;
  // The implicit bit, and a carry out of the fraction, add to the exponent.
  const uint32 bits = (static_cast<uint32>(least - Format::kMinExponent) << Format::kMantissa) +
                      static_cast<uint32>(rounded);
  return static_cast<uint8>(sign | (bits < Format::kMaxBits ? bits : Format::kMaxBits));
}

}  // namespace tw
