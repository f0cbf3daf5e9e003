// Element types: one table row each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tw {

enum class DType : std::uint8_t { kF64, kF32, kTf32, kF16, kBf16, kE4m3, kE5m2, kS8, kS32 };

struct DTypeInfo {
  DType type;
  std::string_view name;         // as users write it: "bf16"
  int bits;                      // of storage (tf32 is stored as f32: 32)
  std::string_view device_type;  // type in templates/tw/dtype.cuh: "tw::bf16"
  int mantissa_bits;             // explicit fraction bits that survive conversion; 0 for integers
  int min_exponent;              // exponent of the smallest normal number; 0 for integers
  bool integer;
};

std::span<const DTypeInfo> AllDTypes();
const DTypeInfo& Info(DType type);

inline std::string_view Name(DType type) {
  return Info(type).name;
}

inline int BytesOf(DType type) {
  return Info(type).bits / 8;
}

// Unit round-off 2^-(mantissa_bits+1); 0 for integers.
double UnitRoundoff(DType type);

// The largest finite value; of tf32 that of its fp32 storage.
double MaxFinite(DType type);

// Whether conversion to the type replaces what is beyond its range by the nearest value in it, so
// that there are no infinities: integers and the 8-bit floats.
bool Saturates(DType type);

// e4m3 or e5m2.
bool IsFp8(DType type);

std::optional<DType> ParseDType(std::string_view name);

}  // namespace tw
