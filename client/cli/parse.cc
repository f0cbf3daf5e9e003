// SPDX-License-Identifier: Apache-2.0
#include "client/cli/parse.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace tw::cli {
namespace {

template <class T>
Result<T> ParseWhole(std::string_view field, std::string_view text, std::string_view range_rule) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || text.empty() || error == std::errc::invalid_argument) {
    return InvalidField(field, text, "must be a whole number");
  }
  if (error == std::errc::result_out_of_range) {
    return InvalidField(field, text, range_rule);
  }
  return value;
}

struct Unit {
  std::string_view suffix;
  double seconds;
};

// "ms" before "s": the longer suffix is tried first.
constexpr Unit kUnits[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}};

}  // namespace

Result<std::int64_t> ParseInt64(std::string_view field, std::string_view text) {
  return ParseWhole<std::int64_t>(field, text, "must fit a signed 64-bit integer");
}

Result<std::uint64_t> ParseUint64(std::string_view field, std::string_view text) {
  return ParseWhole<std::uint64_t>(field, text, "must fit an unsigned 64-bit integer");
}

Result<std::int32_t> ParseCount(std::string_view field, std::string_view text) {
  TW_ASSIGN_OR_RETURN(const std::int64_t value, ParseInt64(field, text));
  if (value < 1 || value > std::numeric_limits<std::int32_t>::max()) {
    return InvalidField(field, text, "must be between 1 and 2147483647");
  }
  return static_cast<std::int32_t>(value);
}

Result<double> ParseNumber(std::string_view field, std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stop != end || error != std::errc() || !std::isfinite(value)) {
    return InvalidField(field, text, "must be a finite number");
  }
  return value;
}

Result<double> ParseSeconds(std::string_view field, std::string_view text) {
  constexpr std::string_view kRule = "must be a time above 0 such as 30s, 500ms or 2m";
  std::string_view digits = text;
  double scale = 1;
  for (const Unit& unit : kUnits) {
    if (text.ends_with(unit.suffix)) {
      digits.remove_suffix(unit.suffix.size());
      scale = unit.seconds;
      break;
    }
  }
  const Result<double> number = ParseNumber(field, digits);
  if (!number.ok() || !(*number * scale > 0)) {
    return InvalidField(field, text, kRule);
  }
  return *number * scale;
}

}  // namespace tw::cli
