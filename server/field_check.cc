// SPDX-License-Identifier: Apache-2.0
#include "server/field_check.h"

#include <algorithm>

namespace tw {

Status CheckName(std::string_view field, const std::string& value, std::size_t limit) {
  const auto printable = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (value.size() > limit)
    return InvalidField(field, value.substr(0, limit) + "...",
                        "must be at most " + std::to_string(limit) + " bytes");
  if (!std::all_of(value.begin(), value.end(), printable))
    return InvalidField(field, value, "must be printable ASCII");
  return OkStatus();
}

}  // namespace tw
