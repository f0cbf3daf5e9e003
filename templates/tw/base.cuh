// What every piece starts from: fixed-width integers and the host/device marks. Included by host
// C++ too; needs no header, since NVRTC has none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC__)
#define TW_HD __host__ __device__
#define TW_DEVICE __device__ __forceinline__
#else
#define TW_HD
#endif

namespace tw {

using int64 = long long;
using uint64 = unsigned long long;
using uint32 = unsigned int;
using uint16 = unsigned short;
using uint8 = unsigned char;

TW_HD constexpr int64 CeilDiv(int64 a, int64 b) {
  return (a + b - 1) / b;
}

TW_HD constexpr int64 RoundUp(int64 a, int64 b) {
  return CeilDiv(a, b) * b;
}

TW_HD constexpr int64 Min(int64 a, int64 b) {
  return a < b ? a : b;
}

TW_HD constexpr int64 Max(int64 a, int64 b) {
  return a > b ? a : b;
}

}  // namespace tw
