// SPDX-License-Identifier: Apache-2.0
#include "contest_file.h"

#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "codegen/core/usual_types.h"

namespace tw {

Result<GemmProblem> ParseShapeLine(const std::string& line) {
  std::istringstream words(line);
  GemmProblem p;
  std::string word, type, layout;
  words >> word >> p.m >> p.n >> p.k >> p.batch >> type >> layout;
  const std::optional<DType> parsed = ParseDType(type);
  if (!words || word != "shape" || !parsed || layout.size() != 2)
    return Status(StatusCode::kInvalidArgument, "not a shape: " + line);
  p.a.type = p.b.type = *parsed;
  p.a.major = layout[0] == 'n' ? Major::kRow : Major::kCol;
  p.b.major = layout[1] == 'n' ? Major::kRow : Major::kCol;
  const UsualTypes usual = UsualTypesOf(*parsed);
  p.acc = usual.accumulate;
  p.c.type = p.d.type = usual.output;
  return Normalize(p);
}

Result<std::vector<ContestSection>> ReadContestFile(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    return Status(StatusCode::kNotFound, path + ": cannot be read");
  std::vector<ContestSection> sections;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    if (line.starts_with("shape ")) {
      TW_ASSIGN_OR_RETURN(GemmProblem problem, ParseShapeLine(line));
      sections.push_back({problem, {}});
      continue;
    }
    TW_ASSIGN_OR_RETURN(KernelConfig config, ParseKernelConfig(line));
    if (sections.empty())
      return Status(StatusCode::kInvalidArgument, "a configuration before the first shape");
    sections.back().entrants.push_back({line, std::move(config)});
  }
  return sections;
}

}  // namespace tw
