// SPDX-License-Identifier: Apache-2.0
#include "client/cli/json.h"

#include <nlohmann/json.hpp>

namespace tw::cli {

std::string Dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json OrNull(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace tw::cli
