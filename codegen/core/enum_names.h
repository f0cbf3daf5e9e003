// Enumerators by name, for enums whose values count up from 0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "codegen/core/check.h"

namespace tw {

// `names` in the order of the enumerators. Requires: `value` is one of them.
template <class Enum, std::size_t kCount>
std::string_view NameIn(const std::array<std::string_view, kCount>& names, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  TW_CHECK(index < kCount);
  return names[index];
}

template <class Enum, std::size_t kCount>
std::optional<Enum> ParseIn(const std::array<std::string_view, kCount>& names,
                            std::string_view name) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (names[i] == name)
      return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace tw
