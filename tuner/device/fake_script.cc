// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/fake_script.h"

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace tw {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<std::string_view, FakeBehaviour>, 12> kBehaviours{{
    {"ok", FakeBehaviour::kOk},
    {"wrong", FakeBehaviour::kWrong},
    {"nan", FakeBehaviour::kNan},
    {"noop", FakeBehaviour::kNoop},
    {"oob", FakeBehaviour::kOob},
    {"nondeterministic", FakeBehaviour::kNondeterministic},
    {"dirty", FakeBehaviour::kDirty},
    {"noise", FakeBehaviour::kNoise},
    {"hang", FakeBehaviour::kHang},
    {"crash", FakeBehaviour::kCrash},
    {"sticky", FakeBehaviour::kSticky},
    {"launch_error", FakeBehaviour::kLaunchError},
}};

Status Bad(const std::string& what) {
  return {StatusCode::kInvalidArgument, "fake script: " + what};
}

Status SetBehaviour(std::string_view text, FakeRule& rule) {
  constexpr std::string_view kSlow = "slow:";
  constexpr std::string_view kHeld = "held:";
  for (const auto& [name, behaviour] : kBehaviours) {
    if (text == name) {
      rule.behaviour = behaviour;
      return OkStatus();
    }
  }
  if (text.starts_with(kHeld) && text.size() > kHeld.size()) {
    rule.held_by = text.substr(kHeld.size());
    rule.behaviour = FakeBehaviour::kHeld;
    return OkStatus();
  }
  if (text.starts_with(kSlow)) {
    text.remove_prefix(kSlow.size());
    auto parsed = std::from_chars(text.data(), text.data() + text.size(), rule.slow_ms);
    rule.behaviour = FakeBehaviour::kSlow;
    if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && rule.slow_ms >= 0)
      return OkStatus();
  }
  return Bad("unknown behaviour '" + std::string(text) + "'");
}

template <class Number>
Status SetOptional(const Json& object, const char* key, std::optional<Number>& value) {
  auto found = object.find(key);
  if (found == object.end())
    return OkStatus();
  if (!found->is_number())
    return Bad(std::string(key) + " must be a number");
  value = found->get<Number>();
  return OkStatus();
}

Result<FakeRule> ParseRule(const Json& json) {
  if (!json.is_object())
    return Bad("a rule must be an object");
  FakeRule rule;
  for (const char* key : {"match", "behaviour"}) {
    auto found = json.find(key);
    if (found == json.end() || !found->is_string())
      return Bad(std::string("a rule needs the text \"") + key + "\"");
  }
  rule.match = json["match"].get<std::string>();
  TW_RETURN_IF_ERROR(SetBehaviour(json["behaviour"].get<std::string>(), rule));
  TW_RETURN_IF_ERROR(SetOptional(json, "count", rule.count));
  TW_RETURN_IF_ERROR(SetOptional(json, "time_ns", rule.time_ns));
  return rule;
}

Result<FakeLibraryAlgorithm> ParseAlgorithm(const Json& json) {
  if (!json.is_object())
    return Bad("an algorithm must be an object");
  FakeLibraryAlgorithm algorithm;
  const Json behaviour = json.value("behaviour", Json("ok"));
  if (!behaviour.is_string())
    return Bad("behaviour must be a text");
  TW_RETURN_IF_ERROR(SetBehaviour(behaviour.get<std::string>(), algorithm.rule));
  TW_RETURN_IF_ERROR(SetOptional(json, "time_ns", algorithm.rule.time_ns));
  std::optional<std::int64_t> workspace;
  TW_RETURN_IF_ERROR(SetOptional(json, "workspace", workspace));
  algorithm.workspace_bytes = workspace.value_or(0);
  return algorithm;
}

Result<std::optional<FakeLibraryScript>> ParseLibrary(const Json& json) {
  FakeLibraryScript library;
  if (json == "absent")
    return std::optional<FakeLibraryScript>();
  if (!json.is_object())
    return Bad("library must be an object or \"absent\"");
  const Json version = json.value("version", Json(library.version));
  const Json algorithms = json.value("algorithms", Json::array());
  if (!version.is_string() || !algorithms.is_array())
    return Bad("a library has the text \"version\" and the array \"algorithms\"");
  library.version = version.get<std::string>();
  library.algorithms.clear();
  for (const Json& one : algorithms) {
    TW_ASSIGN_OR_RETURN(FakeLibraryAlgorithm algorithm, ParseAlgorithm(one));
    library.algorithms.push_back(std::move(algorithm));
  }
  return std::optional(std::move(library));
}

Status SetNumber(const Json& object, const char* key, double& value) {
  std::optional<double> found;
  TW_RETURN_IF_ERROR(SetOptional(object, key, found));
  value = found.value_or(value);
  return OkStatus();
}

Result<FakeDisturbance> ParseDisturbance(const Json& json) {
  if (!json.is_object())
    return Bad("a disturbance must be an object");
  FakeDisturbance d;
  TW_RETURN_IF_ERROR(SetNumber(json, "from_s", d.from_s));
  TW_RETURN_IF_ERROR(SetOptional(json, "for_s", d.for_s));
  TW_RETURN_IF_ERROR(SetOptional(json, "every_s", d.every_s));
  TW_RETURN_IF_ERROR(SetNumber(json, "factor", d.factor));
  TW_RETURN_IF_ERROR(SetNumber(json, "wait_us", d.wait_us));
  TW_RETURN_IF_ERROR(SetOptional(json, "sm_clock_mhz", d.sm_clock_mhz));
  TW_RETURN_IF_ERROR(SetOptional(json, "throttle_reasons", d.throttle_reasons));
  TW_RETURN_IF_ERROR(SetOptional(json, "compute_processes", d.compute_processes));
  return d;
}

Result<FakeCalibrationScript> ParseCalibration(const Json& json) {
  if (!json.is_object())
    return Bad("calibration must be an object");
  FakeCalibrationScript c;
  TW_RETURN_IF_ERROR(SetOptional(json, "dram_bytes_per_s", c.dram_bytes_per_s));
  TW_RETURN_IF_ERROR(SetOptional(json, "l2_bytes_per_clock_per_sm", c.l2_bytes_per_clock_per_sm));
  TW_RETURN_IF_ERROR(SetOptional(json, "sm_clock_hz", c.sm_clock_hz));
  TW_RETURN_IF_ERROR(SetOptional(json, "launch_s", c.launch_s));
  const Json behaviour = json.value("behaviour", Json("ok"));
  if (!behaviour.is_string())
    return Bad("behaviour must be a text");
  FakeRule rule;
  TW_RETURN_IF_ERROR(SetBehaviour(behaviour.get<std::string>(), rule));
  c.behaviour = rule.behaviour;
  return c;
}

Result<std::string> ReadScript(const std::string& text) {
  if (text.empty())
    return std::string("{}");
  if (text.front() == '{')
    return text;
  std::ifstream file(text);
  if (!file)
    return Bad("cannot read " + text);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

}  // namespace

bool FakeDisturbance::IsOn(double now_s) const {
  double since = now_s - from_s;
  if (since >= 0 && every_s)
    since = std::fmod(since, *every_s);
  return since >= 0 && (!for_s || since < *for_s);
}

FakeRule FakeScript::Take(const std::string& entry) {
  for (FakeRule& rule : rules) {
    if (rule.match != "*" && entry.find(rule.match) == std::string::npos)
      continue;
    if (rule.count) {
      if (*rule.count <= 0)
        continue;
      --*rule.count;
    }
    return rule;
  }
  return {};
}

Result<FakeScript> ParseFakeScript(const std::string& text) {
  TW_ASSIGN_OR_RETURN(std::string content, ReadScript(text));
  const Json json = Json::parse(content, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return Bad("not a JSON object");
  FakeScript script;
  TW_RETURN_IF_ERROR(SetOptional(json, "time_ns", script.time_ns));
  for (const Json& rule : json.value("rules", Json::array())) {
    TW_ASSIGN_OR_RETURN(FakeRule parsed, ParseRule(rule));
    script.rules.push_back(std::move(parsed));
  }
  if (auto library = json.find("library"); library != json.end()) {
    TW_ASSIGN_OR_RETURN(script.library, ParseLibrary(*library));
  }
  if (auto calibration = json.find("calibration"); calibration != json.end()) {
    TW_ASSIGN_OR_RETURN(script.calibration, ParseCalibration(*calibration));
  }
  for (const Json& disturbance : json.value("disturbances", Json::array())) {
    TW_ASSIGN_OR_RETURN(FakeDisturbance parsed, ParseDisturbance(disturbance));
    script.disturbances.push_back(parsed);
  }
  return script;
}

}  // namespace tw
