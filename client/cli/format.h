// Numbers for people: four significant digits and a unit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tw::cli {

std::string FormatNanoseconds(double time_ns);  // "812 ns", "12.34 us", "1.234 ms", "2.5 s"
std::string FormatSeconds(double seconds);      // "0.012 s", "4.10 s", "2 min 05 s"
std::string FormatBytes(std::int64_t bytes);    // "512 B", "1.5 KiB", "139.8 GiB"
std::string FormatCudaVersion(int version);     // 13000 -> "13.0"; 0 -> "unknown"

// Names of NVML's clocks-event bits: "power cap, thermal (software)"; "none" for 0.
std::string FormatThrottleReasons(std::uint64_t bits);

// "  LABEL       TEXT\n" with the texts below each other; nothing where the text is empty.
std::string FormatLine(std::string_view label, const std::string& text);

// Columns padded to their widest cell and two spaces apart; the first row is the heading.
// Requires: rows of one width.
std::string FormatTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace tw::cli
