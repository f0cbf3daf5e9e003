// Fills the elements of an operand, and nothing between or around them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"
#include "tw/verify/params.h"
#include "tw/verify/random.cuh"

namespace tw {

// N(0, 1) by Box and Muller from the two halves of the hash.
TW_DEVICE float NormalOf(uint64 hash) {
  float u = (static_cast<float>(static_cast<uint32>(hash)) + 1.0f) * 2.3283064e-10f;
  float v = static_cast<float>(static_cast<uint32>(hash >> 32)) * 2.3283064e-10f;
  return sqrtf(-2.0f * logf(fminf(u, 1.0f))) * cospif(2.0f * v);
}

template <class T>
struct FillValue {
  static TW_DEVICE T Normal(uint64 hash) { return Narrow<T>::From(NormalOf(hash)); }

  static TW_DEVICE T Integer(uint64 hash) {
    return Narrow<T>::From(static_cast<float>(SmallInteger(hash)));
  }
};

template <>
struct FillValue<double> {
  // The low half of the mantissa is random too.
  static TW_DEVICE double Normal(uint64 hash) {
    double low = static_cast<double>(static_cast<uint32>(hash * 0x9e3779b97f4a7c15ull >> 32));
    return static_cast<double>(NormalOf(hash)) * (1.0 + low * 0x1p-56);
  }

  static TW_DEVICE double Integer(uint64 hash) { return SmallInteger(hash); }
};

template <>
struct FillValue<s8> {
  static TW_DEVICE s8 Normal(uint64 hash) { return static_cast<s8>(NormalOf(hash) * 3.0f); }

  static TW_DEVICE s8 Integer(uint64 hash) { return static_cast<s8>(AnyByte(hash)); }
};

template <>
struct FillValue<int> {
  static TW_DEVICE int Normal(uint64 hash) { return static_cast<int>(NormalOf(hash) * 100.0f); }

  static TW_DEVICE int Integer(uint64 hash) { return static_cast<int>(hash >> 48) - 32768; }
};

template <class T>
TW_DEVICE void Fill(const FillParams& p) {
  int64 count = p.matrix.Count();
  int64 step = static_cast<int64>(gridDim.x) * blockDim.x;
  for (int64 i = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count * p.copies;
       i += step) {
    int64 copy = i / count;
    int64 offset = OffsetOfIndex(p.matrix, i - copy * count);
    uint64 hash =
        HashCounter(static_cast<uint64>(offset), p.seed + static_cast<uint64>(copy) * 7919u);
    T* data = reinterpret_cast<T*>(static_cast<char*>(p.matrix.data) + copy * p.copy_bytes);
    data[offset] = p.pattern == FillPattern::kNormal ? FillValue<T>::Normal(hash)
                                                     : FillValue<T>::Integer(hash);
  }
}

}  // namespace tw
