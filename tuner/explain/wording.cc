// SPDX-License-Identifier: Apache-2.0
#include "tuner/explain/wording.h"

#include <array>
#include <cstdio>

namespace tw {
namespace {

std::string Significant(double value, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

}  // namespace

std::string NumberText(double value) {
  return Significant(value, 3);
}

std::string TimeText(double time_ns) {
  constexpr double kMicro = 1e3;
  constexpr double kMilli = 1e6;
  if (time_ns < kMicro) {
    return Significant(time_ns, 4) + " ns";
  }
  return time_ns < kMilli ? Significant(time_ns / kMicro, 4) + " us"
                          : Significant(time_ns / kMilli, 4) + " ms";
}

std::string PercentText(double share) {
  return Significant(100 * share, 3) + " %";
}

std::string MegabytesText(double bytes) {
  return Significant(bytes / 1e6, 3) + " MB";
}

std::string KibibytesText(std::int64_t bytes) {
  return Significant(static_cast<double>(bytes) / 1024, 4) + " KiB";
}

std::string NotText(const std::string& winner, const std::string& runner_up) {
  return "(" + winner + ", not " + runner_up + ")";
}

}  // namespace tw
