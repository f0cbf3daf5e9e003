// JSON as every answer writes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace tw::cli {

using Json = nlohmann::ordered_json;

// Indented, with a newline at the end. Text from elsewhere that is not UTF-8 must not throw: its
// bad bytes are replaced.
std::string Dump(const Json& json);

// Null for an empty text.
Json OrNull(const std::string& text);

}  // namespace tw::cli
