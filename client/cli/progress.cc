// SPDX-License-Identifier: Apache-2.0
#include "client/cli/progress.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "client/cli/format.h"

namespace tw::cli {
namespace {

constexpr int kBarCells = 24;
constexpr std::string_view kEraseLine = "\r\x1b[K";

// Compiling and measuring overlap; each is half of the way.
double DoneShare(const v1::TuneProgress& progress) {
  if (progress.total() <= 0) {
    return 0;
  }
  const double steps = progress.compiled() + progress.measured() + 2.0 * progress.failed();
  return std::clamp(steps / (2.0 * progress.total()), 0.0, 1.0);
}

// Changes that are worth a line where there is no bar.
std::string EventOf(const v1::Operation& operation) {
  return fmt::format("{} {} {}", Name(operation.state()), operation.progress().phase(),
                     operation.progress().best_id());
}

}  // namespace

ProgressStyle ChooseProgress(bool quiet, bool terminal) {
  if (quiet) {
    return ProgressStyle::kNone;
  }
  return terminal ? ProgressStyle::kBar : ProgressStyle::kLines;
}

std::string ProgressSummary(const v1::Operation& operation) {
  if (operation.state() == v1::OPERATION_STATE_QUEUED) {
    return "queued";
  }
  const v1::TuneProgress& progress = operation.progress();
  std::string text = fmt::format("{} {}/{} compiled, {} measured",
                                 progress.phase().empty() ? "running" : progress.phase(),
                                 progress.compiled(), progress.total(), progress.measured());
  if (progress.failed() > 0) {
    text += fmt::format(", {} failed", progress.failed());
  }
  if (progress.best_ns() > 0) {
    text += ", best " + FormatNanoseconds(progress.best_ns());
  }
  return text;
}

std::string ProgressBar(const v1::Operation& operation, int columns) {
  const int filled = static_cast<int>(DoneShare(operation.progress()) * kBarCells);
  const std::string line = fmt::format("[{:#<{}}{:.<{}}] {}", "", filled, "", kBarCells - filled,
                                       ProgressSummary(operation));
  // A line that wraps could not be redrawn.
  return line.substr(0, static_cast<std::size_t>(std::max(columns - 1, 1)));
}

void ProgressPrinter::Show(const v1::Operation& operation) {
  if (style_ == ProgressStyle::kBar) {
    stream_ << kEraseLine << ProgressBar(operation, columns_) << std::flush;
    drawn_ = true;
    return;
  }
  std::string event = EventOf(operation);
  if (style_ == ProgressStyle::kLines && event != event_) {
    event_ = std::move(event);
    stream_ << "tilewright: " << ProgressSummary(operation) << std::endl;
  }
}

void ProgressPrinter::Say(const std::string& text) {
  Clear();
  if (style_ != ProgressStyle::kNone) {
    stream_ << "tilewright: " << text << std::endl;
  }
}

void ProgressPrinter::Clear() {
  if (drawn_) {
    stream_ << kEraseLine << std::flush;
    drawn_ = false;
  }
}

}  // namespace tw::cli
