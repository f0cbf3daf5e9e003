// SPDX-License-Identifier: Apache-2.0
#include "client/cli/shape_file.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "client/cli/shape_columns.h"

namespace tw::cli {
namespace {

using Header = std::vector<const ShapeColumn*>;

Status Wrong(std::string message) {
  return {StatusCode::kInvalidArgument, std::move(message)};
}

std::string KnownColumns() {
  std::string known;
  for (const ShapeColumn& column : AllColumns()) {
    known.append(known.empty() ? "" : ", ").append(column.name);
  }
  return known;
}

Result<std::vector<std::string>> CellsOf(std::string_view line) {
  if (line.find('"') != std::string_view::npos) {
    return Wrong("a quotation mark: quoted fields are not supported");
  }
  return SplitAtCommas(line);
}

Result<Header> ParseHeader(std::string_view line) {
  Header header;
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> names, CellsOf(line));
  for (const std::string& name : names) {
    const auto columns = AllColumns();
    const auto column = std::find_if(columns.begin(), columns.end(),
                                     [&](const ShapeColumn& known) { return known.name == name; });
    if (column == columns.end()) {
      return NotOneOf("column", name, KnownColumns());
    }
    if (std::find(header.begin(), header.end(), &*column) != header.end()) {
      return InvalidField("column", name, "stands twice in the header");
    }
    header.push_back(&*column);
  }
  for (const ShapeColumn& column : RequiredColumns()) {
    if (std::find(header.begin(), header.end(), &column) == header.end()) {
      return InvalidField("column", column.name, "is missing from the header");
    }
  }
  return header;
}

// The daemon would say the same, but only when the bench has come as far as this row.
Status CheckSizes(const v1::GemmProblem& problem) {
  const std::pair<std::string_view, std::int64_t> sizes[] = {
      {"m", problem.m()}, {"n", problem.n()}, {"k", problem.k()}, {"batch", problem.batch()}};
  for (const auto& [field, value] : sizes) {
    if (value < 0) {
      return InvalidField(field, std::to_string(value), "must be >= 0");
    }
  }
  return OkStatus();
}

bool Required(const ShapeColumn& column) {
  return &column < RequiredColumns().data() + RequiredColumns().size();
}

Result<Shape> ParseRow(const Header& header, std::string_view line, ProblemFlags flags) {
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> cells, CellsOf(line));
  if (cells.size() != header.size()) {
    return Wrong(fmt::format("{} fields where the header has {}", cells.size(), header.size()));
  }
  Shape shape;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string* const text = TextOf(flags, *header[i]);
    if (cells[i].empty() && Required(*header[i])) {
      return InvalidField(header[i]->name, cells[i], "must not be empty");
    }
    if (text == nullptr) {
      shape.name = cells[i];
    } else if (!cells[i].empty()) {
      *text = cells[i];
    }
  }
  TW_ASSIGN_OR_RETURN(shape.key, BuildKey(flags));
  TW_RETURN_IF_ERROR(CheckSizes(shape.key.problem()));
  return shape;
}

// What has been read so far of a file.
class Reader {
 public:
  explicit Reader(const ProblemFlags& base) : base_(base) {}

  Status Take(std::string_view line, int number) {
    if (header_.empty()) {
      TW_ASSIGN_OR_RETURN(header_, ParseHeader(line));
      return OkStatus();
    }
    TW_ASSIGN_OR_RETURN(Shape shape, ParseRow(header_, line, base_));
    for (const Shape& other : shapes_) {
      if (other.name == shape.name) {
        return InvalidField("name", shape.name, fmt::format("is line {}'s too", other.line));
      }
    }
    shape.line = number;
    shapes_.push_back(std::move(shape));
    return OkStatus();
  }

  Result<std::vector<Shape>> Shapes() && {
    if (shapes_.empty()) {
      return Wrong(header_.empty() ? "has no header" : "has no shapes below its header");
    }
    return std::move(shapes_);
  }

 private:
  const ProblemFlags& base_;
  Header header_;
  std::vector<Shape> shapes_;
};

// Wanted values that match nothing are typing errors.
Status CheckWanted(std::string_view field,
                   const std::vector<std::string>& wanted,
                   const std::vector<std::string>& present) {
  for (const std::string& value : wanted) {
    if (std::find(present.begin(), present.end(), value) == present.end()) {
      return InvalidField(field, value, "is in no row of the file");
    }
  }
  return OkStatus();
}

bool Passes(const std::vector<std::string>& wanted, std::string_view value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

}  // namespace

std::vector<std::string> SplitAtCommas(std::string_view line) {
  std::vector<std::string> cells;
  std::size_t start = 0;
  for (std::size_t comma = line.find(','); comma != std::string_view::npos;
       comma = line.find(',', start)) {
    cells.emplace_back(line.substr(start, comma - start));
    start = comma + 1;
  }
  cells.emplace_back(line.substr(start));
  return cells;
}

Result<std::vector<Shape>> ParseShapes(std::string_view text,
                                       const std::string& path,
                                       const ProblemFlags& base) {
  Reader reader(base);
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    if (Status status = reader.Take(line, number); !status.ok()) {
      return status.WithContext(fmt::format("{}:{}", path, number));
    }
  }
  Result<std::vector<Shape>> shapes = std::move(reader).Shapes();
  return shapes.ok() ? std::move(shapes) : shapes.status().WithContext(path);
}

Result<std::vector<Shape>> SelectShapes(const std::vector<Shape>& shapes,
                                        const ShapeFilter& filter) {
  const auto list = [](const std::string& text) {
    return text.empty() ? std::vector<std::string>() : SplitAtCommas(text);
  };
  const std::vector<std::string> names = list(filter.names);
  const std::vector<std::string> dtypes = list(filter.dtypes);
  std::vector<std::string> known_names;
  std::vector<std::string> known_dtypes;
  std::vector<Shape> selected;
  for (const Shape& shape : shapes) {
    const std::string_view dtype = Name(shape.key.problem().a().type());
    known_names.push_back(shape.name);
    known_dtypes.emplace_back(dtype);
    if (Passes(names, shape.name) && Passes(dtypes, dtype)) {
      selected.push_back(shape);
    }
  }
  TW_RETURN_IF_ERROR(CheckWanted("names", names, known_names));
  TW_RETURN_IF_ERROR(CheckWanted("dtypes", dtypes, known_dtypes));
  if (selected.empty()) {
    return Wrong("no row of the file has one of these names and one of these types");
  }
  return selected;
}

}  // namespace tw::cli
