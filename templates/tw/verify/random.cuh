// Seeded values by counter: no state, any order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

// Finaliser of MurmurHash3 over the two words.
TW_HD inline uint64 HashCounter(uint64 counter, uint64 seed) {
  uint64 x = counter + seed * 0x9e3779b97f4a7c15ull;
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}

// -2, -1, 1 or 2: a dropped term always changes a sum, and sums stay exact in fp32.
TW_HD inline int SmallInteger(uint64 hash) {
  int sign = (hash >> 40) & 1 ? 1 : -1;
  return sign * (1 + static_cast<int>((hash >> 41) & 1));
}

// -128 .. 127.
TW_HD inline int AnyByte(uint64 hash) {
  return static_cast<int>((hash >> 32) & 0xff) - 128;
}

// -32768 .. 32767.
TW_HD inline int AnyShort(uint64 hash) {
  return static_cast<int>(hash >> 48) - 32768;
}

}  // namespace tw
