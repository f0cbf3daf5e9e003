// SPDX-License-Identifier: Apache-2.0
#include "codegen/source_builder.h"

#include <array>
#include <optional>
#include <set>
#include <utility>

#include "codegen/problem_traits.h"
#include "codegen/source_text.h"

namespace tw {

namespace {

// One option each: NVRTC refuses lists of ptxas options.
constexpr std::array<std::string_view, 5> kOptions{
    "--std=c++20",
    // A third less compile time than ptxas's default of -O3, at the same speed of these kernels.
    "--ptxas-options=-O2",
    "--ptxas-options=-v",  // registers, spills and stack of every entry in the log
    "--ptxas-options=--warn-on-spills",
    "--ptxas-options=--warn-on-local-memory-usage",
};

// Name of the generated file in compiler messages.
constexpr std::string_view kGeneratedName = "candidate.cu";

constexpr int kMaxIncludeDepth = 16;

std::string_view TrimLeft(std::string_view s) {
  auto first = s.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : s.substr(first);
}

// What follows the directive `name` on this line; nullopt for any other line.
std::optional<std::string_view> Directive(std::string_view line, std::string_view name) {
  line = TrimLeft(line);
  if (!line.starts_with('#'))
    return std::nullopt;
  line = TrimLeft(line.substr(1));
  if (!line.starts_with(name))
    return std::nullopt;
  return TrimLeft(line.substr(name.size()));
}

// "tw/x.cuh" of `"tw/x.cuh"`; empty where the include names nothing inside tw/.
std::string_view TemplateOfInclude(std::string_view operand) {
  if (!operand.starts_with("\"tw/"))
    return {};
  auto close = operand.find('"', 1);
  return close == std::string_view::npos ? std::string_view{} : operand.substr(1, close - 1);
}

std::string LineMark(std::int64_t line, std::string_view file) {
  return "#line " + std::to_string(line) + " \"" + std::string(file) + "\"\n";
}

class Flattener {
 public:
  explicit Flattener(const TemplateStore& templates) : templates_(templates) {}

  Status Append(std::string_view text, std::string_view name, int depth) {
    if (depth > kMaxIncludeDepth)
      return {StatusCode::kInvalidArgument, "includes nested too deeply in " + std::string(name)};
    std::int64_t line = 0;
    while (!text.empty()) {
      auto end = text.find('\n');
      TW_RETURN_IF_ERROR(AppendLine(text.substr(0, end), {name, ++line, depth}));
      text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
    return OkStatus();
  }

  std::string Take() && { return std::move(out_); }

 private:
  struct Place {
    std::string_view file;
    std::int64_t line;
    int depth;
  };

  Status AppendLine(std::string_view line, const Place& at) {
    if (auto operand = Directive(line, "include"))
      return Include(*operand, at);
    // `pragma once` is a warning in a main file, and each file comes once anyway.
    Emit(Directive(line, "pragma once") ? std::string_view{} : line);
    return OkStatus();
  }

  void Emit(std::string_view line) {
    out_.append(line);
    out_ += '\n';
    ++lines_;
  }

  void Mark(std::int64_t line, std::string_view file) {
    out_ += LineMark(line, file);
    ++lines_;
  }

  Status Include(std::string_view operand, const Place& at) {
    std::string place = std::string(at.file) + ":" + std::to_string(at.line);
    std::string_view path = TemplateOfInclude(operand);
    if (path.empty())
      return {StatusCode::kInvalidArgument,
              place + ": include outside tw/: " + std::string(operand)};
    if (!seen_.emplace(path).second) {
      Emit("");
      return OkStatus();
    }
    auto text = templates_.Read(path);
    if (!text.ok())
      return text.status().WithContext(place);
    Mark(1, path);
    TW_RETURN_IF_ERROR(Append(*text, path, at.depth + 1));
    // The generated file is marked by its own lines in the flat text, a template by its file's.
    Mark(at.file == kGeneratedName ? lines_ + 2 : at.line + 1, at.file);
    return OkStatus();
  }

  const TemplateStore& templates_;
  std::set<std::string, std::less<>> seen_;
  std::string out_;
  std::int64_t lines_ = 0;
};

}  // namespace

std::span<const std::string_view> CompileOptions() {
  return kOptions;
}

Result<std::string> FlattenIncludes(std::string_view text, const TemplateStore& templates) {
  Flattener flattener(templates);
  TW_RETURN_IF_ERROR(flattener.Append(text, kGeneratedName, 0));
  return std::move(flattener).Take();
}

Result<KernelSource> BuildSource(const SourceInput& input, const TemplateStore& templates) {
  TW_ASSIGN_OR_RETURN(std::string entry_template, templates.Read("entry.cu.in"));
  TW_ASSIGN_OR_RETURN(std::string digest, templates.Digest());
  EntryParts parts = input.family.emit(input.problem, input.device, input.config);
  MarkValues values{
      {"ENTRY", parts.entry},
      {"ARCH", input.device.arch},
      {"PROBLEM", CanonicalText(input.problem)},
      {"CONFIG", Text(input.config)},
      {"DIGEST", digest},
      {"INCLUDES", IncludeLines(ProblemIncludes(input.problem)) + IncludeLines(parts.includes)},
      {"TRAITS", EmitProblemTraits(input.problem)},
      {"CANDIDATE", parts.candidate_struct},
      {"ASSERTS", parts.static_asserts},
      {"KERNELS", parts.kernels},
  };
  KernelSource source;
  source.entry = parts.entry;
  source.arch = input.device.arch;
  TW_ASSIGN_OR_RETURN(source.text,
                      FlattenIncludes(SubstituteMarks(entry_template, values), templates));
  for (std::string_view option : CompileOptions())
    source.options.emplace_back(option);
  source.digest = SourceDigest(source);
  return source;
}

}  // namespace tw
