#include "codegen/compile/ptxas_log.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tw {
namespace {

constexpr std::size_t kMaxWarnings = 64;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The text between `before` and the next `after`.
std::optional<std::string_view> Between(std::string_view line,
                                        std::string_view before,
                                        char after) {
  const std::size_t start = line.find(before);
  if (start == std::string_view::npos)
    return std::nullopt;
  const std::string_view rest = line.substr(start + before.size());
  const std::size_t end = rest.find(after);
  if (end == std::string_view::npos)
    return std::nullopt;
  return rest.substr(0, end);
}

// The integer that stands right before `unit` ("48" in ", 48 bytes smem"); 0 where there is none.
int NumberBefore(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos)
    return 0;
  std::size_t start = end;
  while (start > 0 && line[start - 1] >= '0' && line[start - 1] <= '9')
    --start;
  int number = 0;
  std::from_chars(line.data() + start, line.data() + end, number);
  return number;
}

bool HasPerformanceCode(std::string_view line) {
  const std::size_t at = line.find("(C75");
  return at != std::string_view::npos && line.find(')', at) == at + 6;
}

bool IsWarning(std::string_view line) {
  return line.starts_with("ptxas warning") || HasPerformanceCode(line) ||
         Contains(line, ": warning #") || Contains(line, ": warning:");
}

class LogParser {
 public:
  void Line(std::string_view line) {
    if (IsWarning(line) && report_.warnings.size() < kMaxWarnings)
      report_.warnings.push_back(TrimLog(line, 512));
    if (const auto entry = Between(line, "Compiling entry function '", '\''))
      Entry(*entry);
    else if (Contains(line, "Function properties for "))
      Properties(line.substr(line.find("for ") + 4));
    else if (current_ != kNone)
      Numbers(line);
  }

  PtxasReport Take() { return std::move(report_); }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void Entry(std::string_view name) {
    report_.entries.push_back({.entry = std::string(name)});
    current_ = report_.entries.size() - 1;
  }

  // Numbers that follow belong to this function: an entry, or a device function that was not
  // inlined and has no row of its own.
  void Properties(std::string_view name) {
    const auto row = std::find_if(report_.entries.begin(), report_.entries.end(),
                                  [&](const EntryResources& e) { return e.entry == name; });
    current_ = row == report_.entries.end()
                   ? kNone
                   : static_cast<std::size_t>(row - report_.entries.begin());
  }

  void Numbers(std::string_view line) {
    EntryResources& row = report_.entries[current_];
    if (Contains(line, " bytes stack frame")) {
      row.stack_bytes = NumberBefore(line, " bytes stack frame");
      row.spill_store_bytes = NumberBefore(line, " bytes spill stores");
      row.spill_load_bytes = NumberBefore(line, " bytes spill loads");
    } else if (Contains(line, "Used ") && Contains(line, " registers")) {
      row.registers = NumberBefore(line, " registers");
      row.static_smem_bytes = NumberBefore(line, " bytes smem");
    }
  }

  PtxasReport report_;
  std::size_t current_ = kNone;  // index of the entry that the next numbers belong to
};

}  // namespace

PtxasReport ParsePtxasLog(std::string_view log) {
  LogParser parser;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    parser.Line(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return parser.Take();
}

std::string TrimLog(std::string_view log, std::size_t limit) {
  constexpr std::size_t kNoteBytes = 40;
  const std::size_t whole = log.size();
  std::string text(log);
  if (whole > limit) {
    text.resize(limit - std::min(limit, kNoteBytes));
    if (const std::size_t line_end = text.rfind('\n'); line_end != std::string::npos)
      text.resize(line_end + 1);
  }
  for (char& c : text) {
    const bool printable = (c >= ' ' && c <= '~') || c == '\n' || c == '\t';
    if (!printable)
      c = '?';
  }
  if (whole > limit)
    text += "... (" + std::to_string(whole - text.size()) + " bytes more)";
  return text;
}

}  // namespace tw
