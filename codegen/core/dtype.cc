// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/dtype.h"

#include <array>
#include <cmath>

#include "codegen/core/check.h"

namespace tw {
namespace {

// In the order of the enumerators: Info() indexes by value.
constexpr std::array<DTypeInfo, 9> kDTypes = {{
    {DType::kF64, "f64", 64, "double", 52, -1022, false},
    {DType::kF32, "f32", 32, "float", 23, -126, false},
    {DType::kTf32, "tf32", 32, "tw::tf32", 10, -126, false},
    {DType::kF16, "f16", 16, "tw::f16", 10, -14, false},
    {DType::kBf16, "bf16", 16, "tw::bf16", 7, -126, false},
    {DType::kE4m3, "e4m3", 8, "tw::e4m3", 3, -6, false},
    {DType::kE5m2, "e5m2", 8, "tw::e5m2", 2, -14, false},
    {DType::kS8, "s8", 8, "tw::s8", 0, 0, true},
    {DType::kS32, "s32", 32, "int", 0, 0, true},
}};

constexpr bool InEnumeratorOrder() {
  for (std::size_t i = 0; i < kDTypes.size(); ++i) {
    if (static_cast<std::size_t>(kDTypes[i].type) != i)
      return false;
  }
  return true;
}

static_assert(InEnumeratorOrder());

}  // namespace

std::span<const DTypeInfo> AllDTypes() {
  return kDTypes;
}

const DTypeInfo& Info(DType type) {
  const auto index = static_cast<std::size_t>(type);
  TW_CHECK(index < kDTypes.size());
  return kDTypes[index];
}

double UnitRoundoff(DType type) {
  const DTypeInfo& info = Info(type);
  return info.integer ? 0.0 : std::ldexp(1.0, -(info.mantissa_bits + 1));
}

double MaxFinite(DType type) {
  constexpr double kMaxE4m3 = 448;  // has no infinity: its last exponent is an ordinary one
  if (type == DType::kE4m3)
    return kMaxE4m3;
  const DTypeInfo& info = Info(type == DType::kTf32 ? DType::kF32 : type);
  if (info.integer)
    return std::ldexp(1.0, info.bits - 1) - 1;
  // The largest exponent of an IEEE-like type is 1 - the smallest.
  return std::ldexp(2.0 - std::ldexp(1.0, -info.mantissa_bits), 1 - info.min_exponent);
}

bool Saturates(DType type) {
  return Info(type).integer || IsFp8(type);
}

bool IsFp8(DType type) {
  return type == DType::kE4m3 || type == DType::kE5m2;
}

std::optional<DType> ParseDType(std::string_view name) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.name == name)
      return info.type;
  }
  return std::nullopt;
}

}  // namespace tw
