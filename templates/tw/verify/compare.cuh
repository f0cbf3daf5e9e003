// D against the reference, D and its surroundings against the poison.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"
#include "tw/verify/params.h"

namespace tw {

template <class T>
TW_DEVICE bool IsPoison(T x, uint32 poison) {
  const auto* bytes = reinterpret_cast<const uint8*>(&x);
  bool all = true;
  for (int i = 0; i < static_cast<int>(sizeof(T)); ++i)
    all = all && bytes[i] == poison;
  return all;
}

// |got - want| / bound; infinite for what no bound allows.
TW_DEVICE double ErrorRatio(double got, double want, double bound, double max_finite) {
  double inf = __longlong_as_double(0x7ff0000000000000ll);
  if (got == want)
    return 0;
  if (fabs(got) == inf) {
    // An overflow is right where the reference, give or take the bound, lies past the type's range.
    bool overflows = fabs(want) + bound > max_finite && (got > 0) == (want > 0);
    return overflows ? 0 : inf;
  }
  double distance = fabs(got - want);
  return bound > 0 ? distance / bound : inf;
}

template <class T>
TW_DEVICE void Compare(const CompareParams& p) {
  int64 slots = SlotsOf(p.d, p.coverage);
  int64 step = static_cast<int64>(gridDim.x) * blockDim.x;
  const T* data = static_cast<const T*>(p.d.data);
  double worst = 0;
  for (int64 i = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; i < slots; i += step) {
    Position at = PositionOfSlot(p.d, p.coverage, i);
    if (!Contains(p.d, at))
      continue;
    T raw = data[OffsetOf(p.d, at)];
    double got = Widen<double>(raw);
    double want = Saturated(p.reference[i], p.bound);
    double bound = BoundOf(want, p.magnitude != nullptr ? p.magnitude[i] : 0.0, p.bound);
    if (i == p.report) {
      p.result->got = got;
      p.result->want = want;
      p.result->bound = bound;
    }
    // Not a number for a NaN, which is never within a bound.
    double ratio = got != got ? got : ErrorRatio(got, want, bound, p.bound.max_finite);
    bool right = ratio <= 1.0;
    uint64* counter = nullptr;
    if (!right && IsPoison(raw, p.poison)) {
      counter = &p.result->unwritten;
    } else if (got != got) {
      counter = want == want ? &p.result->nan : nullptr;
    } else {
      worst = fmax(worst, ratio);
      if (!right)
        counter = &p.result->wrong;
    }
    if (counter != nullptr) {
      atomicAdd(counter, 1ull);
      atomicMin(&p.result->first_bad, static_cast<uint64>(i));
    }
  }
  // Bits of non-negative doubles order as integers.
  if (worst > 0)
    atomicMax(&p.result->worst_ratio_bits, static_cast<uint64>(__double_as_longlong(worst)));
}

TW_DEVICE void CheckGuard(const GuardParams& p) {
  int64 step = static_cast<int64>(gridDim.x) * blockDim.x;
  int64 first = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto* data = static_cast<const uint8*>(p.matrix.data);
  for (int64 slot = p.begin + first; slot < p.end; slot += step) {
    if (IsElement(p.matrix, slot))
      continue;
    uint64 changed = 0;
    for (int64 i = 0; i < p.slot_bytes; ++i)
      changed += data[slot * p.slot_bytes + i] != p.poison;
    if (changed != 0) {
      atomicAdd(&p.result->count, changed);
      atomicMin(&p.result->first_bad, static_cast<uint64>(slot - p.begin));
    }
  }
}

template <class T>
TW_DEVICE void Scan(const ScanParams& p) {
  int64 count = p.d.Count();
  int64 step = static_cast<int64>(gridDim.x) * blockDim.x;
  const T* data = static_cast<const T*>(p.d.data);
  for (int64 i = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    T raw = data[OffsetOfIndex(p.d, i)];
    double value = Widen<double>(raw);
    bool unwritten = IsPoison(raw, p.poison);
    if (unwritten || value != value) {
      atomicAdd(unwritten ? &p.result->unwritten : &p.result->nan, 1ull);
      atomicMin(&p.result->first_bad, static_cast<uint64>(i));
    }
  }
}

}  // namespace tw
