// Spelling of a problem's enumerators in key texts, on the command line and in messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "codegen/core/gemm_problem.h"

namespace tw {

// In the order of the enumerators. Stored in keys: never change one.
template <class Enum>
inline constexpr std::array<std::string_view, 0> kEnumNames{};
template <>
inline constexpr std::array<std::string_view, 2> kEnumNames<Major>{"row", "col"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<ScalarKind>{"0", "1", "other"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<BiasKind>{"none", "col", "row"};
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<ScaleKind>{"none", "tensor", "row-col",
                                                                       "block128"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<Objective>{"cold", "warm", "pdl"};

template <class Enum>
std::string_view EnumName(Enum value) {
  const auto index = static_cast<std::size_t>(value);
  TW_CHECK(index < kEnumNames<Enum>.size());
  return kEnumNames<Enum>[index];
}

template <class Enum>
std::optional<Enum> ParseEnum(std::string_view name) {
  for (std::size_t i = 0; i < kEnumNames<Enum>.size(); ++i) {
    if (kEnumNames<Enum>[i] == name)
      return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace tw
