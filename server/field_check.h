// What every text field of a request must be.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "codegen/core/status.h"

namespace tw {

inline constexpr std::size_t kNameBytes = 64;

// InvalidArgument unless `value` is printable ASCII of at most `limit` bytes.
Status CheckName(std::string_view field, const std::string& value, std::size_t limit = kNameBytes);

}  // namespace tw
