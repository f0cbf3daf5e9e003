// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/baseline.h"

#include <array>

#include "codegen/core/enum_names.h"

namespace tw {
namespace {

constexpr std::array<std::string_view, 3> kRegimes{"hot", "cool", "alone"};
constexpr std::array<std::string_view, 4> kVerdicts{"faster", "tie", "slower", "undecided"};

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
