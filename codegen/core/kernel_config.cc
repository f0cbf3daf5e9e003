// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/kernel_config.h"

#include <algorithm>
#include <charconv>

#include "codegen/core/check.h"
#include "codegen/core/digest.h"

namespace tw {
namespace {

Status Malformed(std::string_view text, std::string_view rule) {
  return InvalidField("config", text, rule);
}

bool IsWord(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Cuts `text` at the first `separator`; the rest is empty where there is none.
std::string_view CutFirst(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view first = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return first;
}

bool HasKnob(const KernelConfig& config, std::string_view name) {
  return std::any_of(config.knobs.begin(), config.knobs.end(),
                     [&](const auto& knob) { return knob.first == name; });
}

}  // namespace

int KernelConfig::Get(std::string_view knob) const {
  const auto it =
      std::find_if(knobs.begin(), knobs.end(), [&](const auto& k) { return k.first == knob; });
  TW_CHECK(it != knobs.end());
  return it->second;
}

std::string Text(const KernelConfig& config) {
  std::string text = config.family;
  char separator = ':';
  for (const auto& [name, value] : config.knobs) {
    text.push_back(separator);
    text.append(name).append("=").append(std::to_string(value));
    separator = ',';
  }
  return text;
}

Result<KernelConfig> ParseKernelConfig(std::string_view text) {
  KernelConfig config;
  std::string_view rest = text;
  config.family = CutFirst(rest, ':');
  if (!IsWord(config.family))
    return Malformed(text, "must start with the family's name");
  while (!rest.empty()) {
    std::string_view value = CutFirst(rest, ',');
    const std::string_view name = CutFirst(value, '=');
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (!IsWord(name) || error != std::errc() || end != value.data() + value.size())
      return Malformed(text, "knobs must read NAME=INTEGER, separated by commas");
    if (HasKnob(config, name))
      return Malformed(text, "a knob may appear once");
    config.knobs.emplace_back(name, number);
  }
  // Signs, leading zeros and trailing separators are not canonical: equal texts, equal configs.
  if (Text(config) != text)
    return Malformed(text, "must be in canonical form, " + Text(config));
  return config;
}

std::string CandidateId(const KernelConfig& config) {
  return Sha256Hex(Text(config)).substr(0, 16);
}

}  // namespace tw
