// Figures in words. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tw {

std::string NumberText(double value);           // three significant digits: "42.7"
std::string TimeText(double time_ns);           // four: "812 ns", "6.284 us", "1.201 ms"
std::string PercentText(double share);          // 0.0312: "3.12 %"
std::string MegabytesText(double bytes);        // "52.4 MB", of 10^6 bytes
std::string KibibytesText(std::int64_t bytes);  // "96 KiB"

// "(WINNER, not RUNNER_UP)".
std::string NotText(const std::string& winner, const std::string& runner_up);

}  // namespace tw
