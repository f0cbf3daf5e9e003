// SPDX-License-Identifier: Apache-2.0
#include "client/cli/short_config.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tw::cli {
namespace {

using Knobs = std::vector<std::pair<std::string, std::string>>;

// Extents along m, n and k, as "LABEL MxNxK".
struct Extent {
  std::string_view prefix;
  std::string_view label;
};

constexpr Extent kExtents[] = {
    {"tile_", ""}, {"warp_", "warp "}, {"thread_", "thread "}, {"cluster_", "cluster "}};

struct Letter {
  std::string_view knob;
  std::string_view text;
  std::string_view left_out;  // the value that is not worth a word
};

constexpr Letter kLetters[] = {{"stages", "s", ""},       {"group_m", "g", "1"},
                               {"split_k", "split", "1"}, {"consumers", "c", "1"},
                               {"min_blocks", "b", "1"},  {"blocks", "b", "1"},
                               {"reduce", "reduce", "0"}, {"temporaries", "promoted", "0"},
                               {"unroll", "u", "1"}};

Knobs Parse(std::string_view text) {
  Knobs knobs;
  while (!text.empty()) {
    const std::string_view knob = text.substr(0, text.find(','));
    const std::size_t equals = knob.find('=');
    knobs.emplace_back(knob.substr(0, equals),
                       equals == std::string_view::npos ? "" : knob.substr(equals + 1));
    text.remove_prefix(std::min(text.size(), knob.size() + 1));
  }
  return knobs;
}

// The values of the knobs that begin with the prefix, which are taken out of `knobs`.
std::string TakeExtent(const Extent& extent, Knobs& knobs) {
  std::string text;
  bool worth_a_word = extent.label.empty();
  for (const std::string_view side : {"m", "n", "k"}) {
    const auto at = std::find_if(knobs.begin(), knobs.end(), [&](const auto& knob) {
      return knob.first == std::string(extent.prefix).append(side);
    });
    if (at == knobs.end()) {
      continue;
    }
    worth_a_word = worth_a_word || at->second != "1";
    text.append(text.empty() ? "" : "x").append(at->second);
    knobs.erase(at);
  }
  return text.empty() || !worth_a_word ? std::string() : fmt::format(" {}{}", extent.label, text);
}

std::string KnobText(const std::pair<std::string, std::string>& knob) {
  const auto& [name, value] = knob;
  for (const Letter& letter : kLetters) {
    if (letter.knob == name) {
      return value == letter.left_out ? std::string() : fmt::format(" {}{}", letter.text, value);
    }
  }
  const bool is_switch = value == "0" || value == "1";
  if (is_switch) {
    return value == "1" ? fmt::format(" {}", name) : std::string();
  }
  return fmt::format(" {}={}", name, value);
}

}  // namespace

std::string ShortConfig(std::string_view config) {
  const std::size_t colon = config.find(':');
  std::string text(config.substr(0, colon));
  if (colon == std::string_view::npos) {
    return text;
  }
  Knobs knobs = Parse(config.substr(colon + 1));
  for (const Extent& extent : kExtents) {
    text += TakeExtent(extent, knobs);
  }
  for (const auto& knob : knobs) {
    text += KnobText(knob);
  }
  return text;
}

}  // namespace tw::cli
