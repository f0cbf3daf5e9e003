// Text of clients and compilers on its way into a log line or a status message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tw {

// Control characters as "\n", "\t" or "\x1b", backslash doubled; at most `limit` bytes of result,
// the last three "..." where something was cut.
std::string Escape(std::string_view text, std::size_t limit);

}  // namespace tw
