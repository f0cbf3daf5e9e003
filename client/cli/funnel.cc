// SPDX-License-Identifier: Apache-2.0
#include "client/cli/funnel.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tw::cli {
namespace {

// What is not named here follows in alphabetical order.
constexpr std::string_view kOrder[] = {"space",    "pruned",   "legal",    "selected",
                                       "compiled", "measured", "finalists"};

struct Stage {
  std::string name;
  std::int64_t total = 0;                                     // 0: the sum of the reasons
  std::vector<std::pair<std::int64_t, std::string>> reasons;  // count, reason
};

std::size_t Rank(const Stage& stage) {
  const auto* place = std::find(std::begin(kOrder), std::end(kOrder), stage.name);
  return static_cast<std::size_t>(std::distance(std::begin(kOrder), place));
}

std::int64_t TotalOf(const Stage& stage) {
  std::int64_t sum = 0;
  for (const auto& [count, reason] : stage.reasons) {
    sum += count;
  }
  return stage.total > 0 ? stage.total : sum;
}

Stage& StageOf(std::vector<Stage>& stages, std::string_view name) {
  for (Stage& stage : stages) {
    if (stage.name == name) {
      return stage;
    }
  }
  stages.push_back(Stage{std::string(name), 0, {}});
  return stages.back();
}

std::vector<Stage> StagesOf(const v1::TuneResult& result) {
  std::vector<Stage> stages;
  for (const auto& [key, count] : result.funnel()) {
    if (count == 0) {
      continue;
    }
    const std::size_t colon = key.find(':');
    Stage& stage = StageOf(stages, std::string_view(key).substr(0, colon));
    if (colon == std::string::npos) {
      stage.total = count;
    } else {
      stage.reasons.emplace_back(count, key.substr(colon + 1));
    }
  }
  std::sort(stages.begin(), stages.end(), [](const Stage& left, const Stage& right) {
    return std::pair(Rank(left), std::string_view(left.name)) <
           std::pair(Rank(right), std::string_view(right.name));
  });
  return stages;
}

}  // namespace

std::string FunnelText(const v1::TuneResult& result) {
  std::string text;
  for (Stage& stage : StagesOf(result)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", stage.name, TotalOf(stage));
    // The largest first; equal ones by name, whatever order the map had.
    std::sort(stage.reasons.begin(), stage.reasons.end(), [](const auto& left, const auto& right) {
      return left.first != right.first ? left.first > right.first : left.second < right.second;
    });
    std::string reasons;
    for (const auto& [count, reason] : stage.reasons) {
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", reason, count);
    }
    if (!reasons.empty()) {
      text += " (" + reasons + ")";
    }
  }
  return text;
}

}  // namespace tw::cli
