// SPDX-License-Identifier: Apache-2.0
#include "tuner/store/result_store.h"

#include <array>

#include "codegen/core/check.h"

namespace tw {
namespace {

// In the order of the enumerators. The names are stored: never change one.
constexpr std::array<std::string_view, 5> kJobStateNames = {"queued", "running", "succeeded",
                                                            "failed", "cancelled"};
static_assert(static_cast<std::size_t>(JobState::kCancelled) + 1 == kJobStateNames.size());

}  // namespace

std::string_view Name(JobState state) {
  const auto index = static_cast<std::size_t>(state);
  TW_CHECK(index < kJobStateNames.size());
  return kJobStateNames[index];
}

std::optional<JobState> ParseJobState(std::string_view name) {
  for (std::size_t i = 0; i < kJobStateNames.size(); ++i) {
    if (kJobStateNames[i] == name) {
      return static_cast<JobState>(i);
    }
  }
  return std::nullopt;
}

bool MayReplace(RowState incoming, RowState existing) {
  return incoming >= existing;
}

std::vector<ResultKey> MeasuredKeysOf(const std::map<ResultKey, TuneResult>& results,
                                      std::string_view device_class) {
  std::vector<ResultKey> keys;
  for (const auto& [key, result] : results) {
    if (result.state == RowState::kMeasured && key.device_class == device_class) {
      keys.push_back(key);
    }
  }
  return keys;
}

}  // namespace tw
