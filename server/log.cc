// SPDX-License-Identifier: Apache-2.0
#include "server/log.h"

#include <cstddef>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "server/escape.h"

namespace tw {
namespace {

constexpr std::size_t kValueBytes = 1024;

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

void AppendValue(std::string& line, std::string_view value) {
  const std::string escaped = Escape(value, kValueBytes);
  if (escaped.find_first_of(" \"=") == std::string::npos) {
    line += escaped;
    return;
  }
  line += '"';
  for (const char c : escaped) {
    if (c == '"')
      line += '\\';
    line += c;
  }
  line += '"';
}

}  // namespace

std::string FormatFields(std::initializer_list<LogField> fields) {
  std::string line;
  for (const LogField& field : fields) {
    if (field.value.empty())
      continue;
    if (!line.empty())
      line += ' ';
    line.append(field.key).append("=");
    AppendValue(line, field.value);
  }
  return line;
}

Log::Log(LogLevel threshold)
    : logger_(std::make_shared<spdlog::logger>("tilewrightd",
                                               std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  logger_->set_level(ToSpdlog(threshold));
  logger_->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z level=%l %v");
}

void Log::Write(LogLevel level, std::initializer_list<LogField> fields) const {
  if (logger_->should_log(ToSpdlog(level)))
    logger_->log(ToSpdlog(level), spdlog::string_view_t(FormatFields(fields)));
}

}  // namespace tw
