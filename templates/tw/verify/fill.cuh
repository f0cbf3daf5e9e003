// Fills the elements of an operand, and nothing between or around them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"
#include "tw/verify/pattern.cuh"

namespace tw {

// N(0, 1) by Box and Muller from the two halves of the hash.
TW_DEVICE float NormalOf(uint64 hash) {
  float u = (static_cast<float>(static_cast<uint32>(hash)) + 1.0f) * 2.3283064e-10f;
  float v = static_cast<float>(static_cast<uint32>(hash >> 32)) * 2.3283064e-10f;
  return sqrtf(-2.0f * logf(fminf(u, 1.0f))) * cospif(2.0f * v);
}

template <class T>
struct FillValue {
  static TW_DEVICE T Normal(const FillTerm& term) {
    return Narrow<T>::From(NormalOf(term.hash) * term.scale);
  }

  static TW_DEVICE T Integer(uint64 hash) {
    return Narrow<T>::From(static_cast<float>(SmallInteger(hash)));
  }
};

template <>
struct FillValue<tf32> {
  // Never half way between two tf32 numbers: which of them it is rounded to is left to who rounds.
  static TW_DEVICE tf32 Normal(const FillTerm& term) {
    const float x = NormalOf(term.hash) * term.scale;
    const uint32 bits = __float_as_uint(x);
    return {(bits & 0x1fffu) == 0x1000u ? __uint_as_float(bits | 1u) : x};
  }

  static TW_DEVICE tf32 Integer(uint64 hash) { return {static_cast<float>(SmallInteger(hash))}; }
};

template <>
struct FillValue<double> {
  // The low half of the mantissa is random too.
  static TW_DEVICE double Normal(const FillTerm& term) {
    double low = static_cast<double>(static_cast<uint32>(term.hash * 0x9e3779b97f4a7c15ull >> 32));
    return static_cast<double>(NormalOf(term.hash)) * (1.0 + low * 0x1p-56) * term.scale;
  }

  static TW_DEVICE double Integer(uint64 hash) { return SmallInteger(hash); }
};

template <>
struct FillValue<s8> {
  static TW_DEVICE s8 Normal(const FillTerm& term) {
    return static_cast<s8>(NormalOf(term.hash) * 3.0f * term.scale);
  }

  static TW_DEVICE s8 Integer(uint64 hash) { return static_cast<s8>(AnyByte(hash)); }
};

template <>
struct FillValue<int> {
  static TW_DEVICE int Normal(const FillTerm& term) {
    return static_cast<int>(NormalOf(term.hash) * 100.0f * term.scale);
  }

  static TW_DEVICE int Integer(uint64 hash) { return AnyShort(hash); }
};

// The exact 1.
template <class T>
TW_DEVICE T OneOf() {
  return Narrow<T>::From(1.0f);
}

template <>
TW_DEVICE double OneOf<double>() {
  return 1.0;
}

template <>
TW_DEVICE s8 OneOf<s8>() {
  return 1;
}

template <>
TW_DEVICE int OneOf<int>() {
  return 1;
}

template <class T, KAxis kAxis>
TW_DEVICE void Fill(const FillParams& p) {
  int64 count = p.matrix.Count();
  int64 step = static_cast<int64>(gridDim.x) * blockDim.x;
  for (int64 i = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count * p.copies;
       i += step) {
    int64 copy = i / count;
    Position at = PositionOf(p.matrix, i - copy * count);
    FillTerm term = TermOf(p, kAxis, at, SeedOfCopy(p.seed, copy));
    T value =
        DrawsIntegers(p.pattern) ? FillValue<T>::Integer(term.hash) : FillValue<T>::Normal(term);
    if (p.pattern == FillPattern::kOnes && kAxis != KAxis::kNone)
      value = OneOf<T>();
    T* data = reinterpret_cast<T*>(static_cast<char*>(p.matrix.data) + copy * p.copy_bytes);
    data[OffsetOf(p.matrix, at)] = value;
  }
}

// The scales of the rows or columns of D: a vector.
TW_DEVICE void FillScales(const FillParams& p) {
  int64 count = p.matrix.Count();
  int64 step = static_cast<int64>(gridDim.x) * blockDim.x;
  for (int64 i = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count * p.copies;
       i += step) {
    int64 copy = i / count;
    FillTerm term =
        TermOf(p, KAxis::kNone, PositionOf(p.matrix, i - copy * count), SeedOfCopy(p.seed, copy));
    auto* data = reinterpret_cast<float*>(static_cast<char*>(p.matrix.data) + copy * p.copy_bytes);
    data[i - copy * count] = ScaleValue(p.pattern, term.hash);
  }
}

}  // namespace tw
