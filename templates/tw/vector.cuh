// Short vectors that load and store as one memory access of 1 to 16 bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

template <int kBytes>
struct RawOf;

template <>
struct RawOf<1> {
  using Type = uint8;
};

template <>
struct RawOf<2> {
  using Type = uint16;
};

template <>
struct RawOf<4> {
  using Type = uint32;
};

template <>
struct RawOf<8> {
  using Type = uint2;
};

template <>
struct RawOf<16> {
  using Type = uint4;
};

// kN * sizeof(T) is a power of two, at most 16.
template <class T, int kN>
union Vec {
  using Raw = typename RawOf<static_cast<int>(sizeof(T)) * kN>::Type;

  T v[kN];
  Raw raw;
};

// Of elements in registers. Bytes are put together by shifts: the compiler would write them to
// local memory, one by one, to read them back as words.
template <int kN, class T>
TW_DEVICE Vec<T, kN> PackVec(const T (&x)[kN]) {
  Vec<T, kN> r;
  if constexpr (sizeof(T) == 1 && kN > 1) {
    uint32 words[(kN + 3) / 4] = {};
#pragma unroll
    for (int i = 0; i < kN; ++i)
      words[i / 4] |= static_cast<uint32>(reinterpret_cast<const uint8&>(x[i])) << (i % 4 * 8);
    if constexpr (kN <= 4) {
      r.raw = static_cast<typename Vec<T, kN>::Raw>(words[0]);
    } else {
      r.raw.x = words[0];
      r.raw.y = words[1];
      if constexpr (kN == 16) {
        r.raw.z = words[2];
        r.raw.w = words[3];
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < kN; ++i)
      r.v[i] = x[i];
  }
  return r;
}

// Requires: `p` is aligned to the vector's size.
template <int kN, class T>
TW_DEVICE Vec<T, kN> LoadVec(const T* p) {
  Vec<T, kN> r;
  r.raw = *reinterpret_cast<const typename Vec<T, kN>::Raw*>(p);
  return r;
}

// Requires: `p` is aligned to the vector's size.
template <int kN, class T>
TW_DEVICE void StoreVec(T* p, const Vec<T, kN>& x) {
  *reinterpret_cast<typename Vec<T, kN>::Raw*>(p) = x.raw;
}

}  // namespace tw
