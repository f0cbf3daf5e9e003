// Strict parsing of numbers on the command line: the whole text or a one-line error that names
// field, value and rule. Ranges are the daemon's to check.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "codegen/core/status.h"

namespace tw::cli {

// Decimal digits with an optional '-'.
Result<std::int64_t> ParseInt64(std::string_view field, std::string_view text);

// Decimal digits.
Result<std::uint64_t> ParseUint64(std::string_view field, std::string_view text);

// A whole number >= 1 that fits 32 bits.
Result<std::int32_t> ParseCount(std::string_view field, std::string_view text);

// A finite decimal number.
Result<double> ParseNumber(std::string_view field, std::string_view text);

// "30s", "500ms", "2m", "30" -> seconds, > 0.
Result<double> ParseSeconds(std::string_view field, std::string_view text);

}  // namespace tw::cli
