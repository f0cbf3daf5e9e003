// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/baseline.h"

#include <array>
#include <cstddef>
#include <span>

#include "codegen/core/check.h"

namespace tw {
namespace {

constexpr std::array<std::string_view, 3> kRegimes{"hot", "cool", "alone"};
constexpr std::array<std::string_view, 4> kVerdicts{"faster", "tie", "slower", "undecided"};

template <class Enum>
std::string_view NameIn(std::span<const std::string_view> names, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  TW_CHECK(index < names.size());
  return names[index];
}

template <class Enum>
std::optional<Enum> ParseIn(std::span<const std::string_view> names, std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name)
      return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view Name(Regime regime) {
  return NameIn(kRegimes, regime);
}

std::optional<Regime> ParseRegime(std::string_view name) {
  return ParseIn<Regime>(kRegimes, name);
}

std::string_view Name(ComparisonVerdict verdict) {
  return NameIn(kVerdicts, verdict);
}

std::optional<ComparisonVerdict> ParseComparisonVerdict(std::string_view name) {
  return ParseIn<ComparisonVerdict>(kVerdicts, name);
}

}  // namespace tw
