// Content keys.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tw {

// SHA-256 as 64 lower-case hex digits.
std::string Sha256Hex(std::string_view bytes);

}  // namespace tw
