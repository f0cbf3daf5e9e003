// The nested parts of a stored row as JSON. Internal to the store. The To* functions throw
// std::exception on any mismatch; json_codec.cc turns that into a Status.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "codegen/core/outcome.h"

namespace tw {

using Json = nlohmann::json;

// JSON has no NaN or infinity: those are texts.
Json FromDouble(double value);
double ToDouble(const Json& json);

template <class Enum>
Enum ToEnum(const Json& json, std::optional<Enum> (*parse)(std::string_view)) {
  const auto& text = json.get_ref<const std::string&>();
  const std::optional<Enum> value = parse(text);
  if (!value) {
    throw std::invalid_argument("unknown value: " + text);
  }
  return *value;
}

// No configuration at all (a report that never got one) is the empty text.
std::string FromConfig(const KernelConfig& config);
KernelConfig ToConfig(const Json& json);

Json FromResources(const Resources& r);
Resources ToResources(const Json& json);

Json FromEntry(const EntryResources& e);
EntryResources ToEntry(const Json& json);

Json FromConditions(const Conditions& c);
Conditions ToConditions(const Json& json);

Json FromMeasurement(const Measurement& m);
Measurement ToMeasurement(const Json& json);

}  // namespace tw
