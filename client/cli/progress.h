// Live view of a job on stderr: one line redrawn on a terminal, a line per event otherwise.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "client/cli/names.h"

namespace tw::cli {

enum class ProgressStyle : std::uint8_t { kNone, kLines, kBar };

// None with --quiet; a bar on a terminal.
ProgressStyle ChooseProgress(bool quiet, bool terminal);

// "[#####.....] compile 12/36, 4 measured, 1 failed, best 213.4 us", at most `columns` wide.
std::string ProgressBar(const v1::Operation& operation, int columns);

// The same facts without the bar.
std::string ProgressSummary(const v1::Operation& operation);

class ProgressPrinter {
 public:
  ProgressPrinter(std::ostream& stream, ProgressStyle style, int columns)
      : stream_(stream), style_(style), columns_(columns) {}

  // Erases a bar that is still there.
  ~ProgressPrinter() { Clear(); }

  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;

  void Show(const v1::Operation& operation);

  // A line of its own, below the bar's place; nothing with kNone.
  void Say(const std::string& text);

  void Clear();

 private:
  std::ostream& stream_;
  const ProgressStyle style_;
  const int columns_;
  std::string event_;  // what the last line was printed for
  bool drawn_ = false;
};

}  // namespace tw::cli
