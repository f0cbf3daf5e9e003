// SPDX-License-Identifier: Apache-2.0
#include "client/cli/format.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tw::cli {
namespace {

struct ThrottleReason {
  std::uint64_t bit;
  std::string_view name;
};

// nvml.h, nvmlClocksEventReason*.
constexpr ThrottleReason kThrottleReasons[] = {
    {0x1, "idle"},
    {0x2, "application clocks"},
    {0x4, "power cap"},
    {0x8, "hardware slowdown"},
    {0x10, "sync boost"},
    {0x20, "thermal (software)"},
    {0x40, "thermal (hardware)"},
    {0x80, "power brake"},
    {0x100, "display clocks"},
};

}  // namespace

std::string FormatNanoseconds(double time_ns) {
  if (time_ns < 1e3) {
    return fmt::format("{:.4g} ns", time_ns);
  }
  if (time_ns < 1e6) {
    return fmt::format("{:.4g} us", time_ns * 1e-3);
  }
  if (time_ns < 1e9) {
    return fmt::format("{:.4g} ms", time_ns * 1e-6);
  }
  return fmt::format("{:.4g} s", time_ns * 1e-9);
}

std::string FormatSeconds(double seconds) {
  constexpr double kMinute = 60;
  if (seconds >= kMinute) {
    const double minutes = std::floor(seconds / kMinute);
    return fmt::format("{:.0f} min {:02.0f} s", minutes, std::floor(seconds - minutes * kMinute));
  }
  return seconds < 1 ? fmt::format("{:.3f} s", seconds) : fmt::format("{:.2f} s", seconds);
}

std::string FormatBytes(std::int64_t bytes) {
  constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024;
  if (bytes < static_cast<std::int64_t>(kStep)) {
    return fmt::format("{} B", bytes);
  }
  double value = static_cast<double>(bytes) / kStep;
  std::size_t unit = 0;
  while (value >= kStep && unit + 1 < std::size(kUnits)) {
    value /= kStep;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string FormatCudaVersion(int version) {
  if (version <= 0) {
    return "unknown";
  }
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string FormatThrottleReasons(std::uint64_t bits) {
  std::string text;
  for (const ThrottleReason& reason : kThrottleReasons) {
    if ((bits & reason.bit) != 0) {
      text.append(text.empty() ? "" : ", ").append(reason.name);
      bits &= ~reason.bit;
    }
  }
  if (bits != 0) {
    text += fmt::format("{}0x{:x}", text.empty() ? "" : ", ", bits);
  }
  return text.empty() ? "none" : text;
}

std::string FormatLine(std::string_view label, const std::string& text) {
  return text.empty() ? std::string() : fmt::format("  {:<11} {}\n", label, text);
}

std::string FormatTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    text.append(line.substr(0, line.find_last_not_of(' ') + 1)).append("\n");
  }
  return text;
}

}  // namespace tw::cli
