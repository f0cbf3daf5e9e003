// SPDX-License-Identifier: Apache-2.0
#include "tests/recorded/recording.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <utility>

namespace tw {
namespace {

using Cells = std::vector<std::string>;

// Cells in quotes may hold commas.
Cells Split(const std::string& line) {
  Cells cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back().push_back(c);
  }
  return cells;
}

Status Bad(int line, const std::string& what) {
  return {StatusCode::kInvalidArgument, "line " + std::to_string(line) + ": " + what};
}

class Row {
 public:
  Row(const Cells& header, Cells cells) : header_(header), cells_(std::move(cells)) {}

  [[nodiscard]] std::string Text(std::string_view column) const {
    const auto at = std::find(header_.begin(), header_.end(), column);
    const auto place = static_cast<std::size_t>(at - header_.begin());
    return place < cells_.size() ? cells_[place] : "";
  }

  template <class Number>
  [[nodiscard]] Number Value(std::string_view column) const {
    const std::string text = Text(column);
    Number value{};
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

 private:
  const Cells& header_;
  Cells cells_;
};

Resources ResourcesOf(const Row& row) {
  Resources r;
  r.tile_m = row.Value<int>("tile_m");
  r.tile_n = row.Value<int>("tile_n");
  r.tile_k = row.Value<int>("tile_k");
  r.stages = row.Value<int>("stages");
  r.threads = row.Value<int>("threads");
  r.smem_bytes = row.Value<std::int64_t>("smem_bytes");
  r.regs_estimate = row.Value<int>("regs_estimate");
  r.workspace_bytes = row.Value<std::int64_t>("workspace_bytes");
  r.split_k = row.Value<int>("split_k");
  r.tiles = row.Value<std::int64_t>("tiles");
  r.blocks = row.Value<std::int64_t>("blocks");
  return r;
}

// "# PROBLEM | DEVICE CLASS | conditions"
Status ParseTitle(const std::string& line, Recording& recording) {
  const std::size_t first = line.find(" | ");
  const std::size_t second = first == std::string::npos ? first : line.find(" | ", first + 3);
  if (!line.starts_with("# ") || second == std::string::npos)
    return Bad(1, "must be \"# PROBLEM | DEVICE CLASS | conditions\"");
  TW_ASSIGN_OR_RETURN(recording.problem, ParseCanonicalText(line.substr(2, first - 2)));
  const std::string device_class = line.substr(first + 3, second - first - 3);
  TW_ASSIGN_OR_RETURN(recording.device,
                      ReferenceDevice(device_class.substr(0, device_class.find('/'))));
  return OkStatus();
}

Result<std::string> Unpack(const std::filesystem::path& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr)
    return Status(StatusCode::kNotFound, path.string() + ": cannot be opened");
  std::string text;
  std::array<char, 1 << 16> buffer{};
  int count = 0;
  while ((count = gzread(file, buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  gzclose(file);
  if (count < 0)
    return Status(StatusCode::kDataLoss, path.string() + ": is damaged");
  return text;
}

}  // namespace

Result<Recording> ParseRecording(std::string name, std::string_view text) {
  std::istringstream lines{std::string(text)};
  Recording recording;
  recording.name = std::move(name);
  std::string line;
  std::getline(lines, line);
  TW_RETURN_IF_ERROR(ParseTitle(line, recording));
  std::getline(lines, line);
  const Cells header = Split(line);
  for (int number = 3; std::getline(lines, line); ++number) {
    const Row row(header, Split(line));
    Candidate candidate;
    TW_ASSIGN_OR_RETURN(candidate.config, ParseKernelConfig(row.Text("config")));
    candidate.id = CandidateId(candidate.config);
    candidate.resources = ResourcesOf(row);
    if (candidate.resources.tile_m <= 0 || candidate.resources.split_k <= 0)
      return Bad(number, "has no resources");
    const double median_ns = row.Value<double>("median_ns");
    recording.times[candidate.id] =
        row.Text("kind") == "measured" && median_ns > 0 ? std::optional(median_ns) : std::nullopt;
    recording.candidates.push_back(std::move(candidate));
  }
  return recording;
}

Result<std::vector<Recording>> LoadRecordings(const std::filesystem::path& folder) {
  std::vector<Recording> recordings;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    constexpr std::string_view kEnding = ".csv.gz";
    if (!file.ends_with(kEnding))
      continue;
    TW_ASSIGN_OR_RETURN(const std::string text, Unpack(entry.path()));
    auto recording = ParseRecording(file.substr(0, file.size() - kEnding.size()), text);
    if (!recording.ok())
      return Status(recording.status().code(), file + ": " + recording.status().message());
    recordings.push_back(*std::move(recording));
  }
  std::sort(recordings.begin(), recordings.end(),
            [](const Recording& a, const Recording& b) { return a.name < b.name; });
  return recordings;
}

}  // namespace tw
