// Identity and names of a tune.
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "codegen/core/check.h"
#include "tuner/tuner.h"

namespace tw {

ResultKey KeyOf(const TuneSpec& spec) {
  return {.problem = CanonicalText(spec.problem),
          .device_class = DeviceClass(spec.device),
          .contract = Text(spec.contract),
          .objective = std::string(Name(spec.objective))};
}

void SayNoBaseline(TuneResult& result) {
  if (!result.baseline)
    result.baseline.emplace().unavailable = "no GPU here to compare on";
}

std::string_view Name(TunePhase phase) {
  constexpr std::array<std::string_view, 6> kNames = {"enumerate", "compile", "measure",
                                                      "final",     "compare", "done"};
  static_assert(static_cast<std::size_t>(TunePhase::kDone) + 1 == kNames.size());
  const auto index = static_cast<std::size_t>(phase);
  TW_CHECK(index < kNames.size());
  return kNames[index];
}

}  // namespace tw
