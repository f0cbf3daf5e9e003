// One structured line per event on stderr: time, level, then key=value fields in the order given,
// ids first. Values are escaped and cut, never part of a format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

namespace tw {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

struct LogField {
  std::string_view key;
  std::string value;
};

// The fields as one line, without time and level. A value with a space, a quote or an equals sign
// is quoted; a field without a value is left out.
std::string FormatFields(std::initializer_list<LogField> fields);

// Thread-safe.
class Log {
 public:
  explicit Log(LogLevel threshold);

  void Write(LogLevel level, std::initializer_list<LogField> fields) const;

 private:
  std::shared_ptr<spdlog::logger> logger_;  // shared: spdlog's own type of handle
};

}  // namespace tw
