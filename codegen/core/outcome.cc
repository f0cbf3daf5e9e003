// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/outcome.h"

#include <array>

#include "codegen/core/enum_names.h"

namespace tw {
namespace {

// In the order of the enumerators. The names are stored and sent: never change one.
constexpr std::array<std::string_view, 10> kOutcomeNames = {
    "measured",     "compiled",  "pruned",  "compile_error", "launch_error",
    "wrong_result", "timed_out", "crashed", "disturbed",     "skipped"};
constexpr std::array<std::string_view, 4> kRowStateNames = {"predicted", "stale", "unverified",
                                                            "measured"};

static_assert(static_cast<std::size_t>(OutcomeKind::kSkipped) + 1 == kOutcomeNames.size());
static_assert(static_cast<std::size_t>(RowState::kMeasured) + 1 == kRowStateNames.size());

}  // namespace

std::string_view Name(OutcomeKind kind) {
  return NameIn(kOutcomeNames, kind);
}

std::optional<OutcomeKind> ParseOutcomeKind(std::string_view name) {
  return ParseIn<OutcomeKind>(kOutcomeNames, name);
}

std::string_view Name(RowState state) {
  return NameIn(kRowStateNames, state);
}

std::optional<RowState> ParseRowState(std::string_view name) {
  return ParseIn<RowState>(kRowStateNames, name);
}

std::string Text(const ResultKey& key) {
  std::string text = key.problem;
  text.append("|").append(key.device_class);
  text.append("|").append(key.contract);
  text.append("|").append(key.objective);
  return text;
}

}  // namespace tw
