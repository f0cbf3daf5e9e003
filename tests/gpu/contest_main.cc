// contest FILE [REGIME [OBJECTIVE]]: configurations by hand in turns with the library's fastest
// algorithms. Lines of FILE: "shape M N K BATCH TYPE LAYOUT", then a configuration a line; lines
// that begin with # and blank ones are skipped. Exits 1 if a kernel is wrong. Without a GPU it
// compiles them for sm_90a, says what the compiler says and leaves the n-th, from 0, in
// FILE.n.cu and FILE.n.cubin.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/families/registry.h"
#include "codegen/source_builder.h"
#include "contest.h"

namespace tw {
namespace {

struct Section {
  GemmProblem problem;
  std::vector<Entrant> entrants;
};

Result<GemmProblem> ParseShape(std::istringstream line) {
  GemmProblem p;
  std::string word, type, layout;
  line >> word >> p.m >> p.n >> p.k >> p.batch >> type >> layout;
  const std::optional<DType> parsed = ParseDType(type);
  if (!line || !parsed || layout.size() != 2)
    return Status(StatusCode::kInvalidArgument, "not a shape: " + line.str());
  p.a.type = p.b.type = p.c.type = p.d.type = *parsed;
  p.a.major = layout[0] == 'n' ? Major::kRow : Major::kCol;
  p.b.major = layout[1] == 'n' ? Major::kRow : Major::kCol;
  p.acc = *parsed == DType::kS8 ? DType::kS32 : DType::kF32;
  if (*parsed == DType::kTf32)
    p.c.type = p.d.type = DType::kF32;
  if (IsFp8(*parsed))
    p.c.type = p.d.type = DType::kBf16;
  if (*parsed == DType::kS8)
    p.c.type = p.d.type = DType::kS32;
  return Normalize(p);
}

Result<std::vector<Section>> Parse(const char* path) {
  std::ifstream file(path);
  if (!file)
    return Status(StatusCode::kNotFound, std::string(path) + ": cannot be read");
  std::vector<Section> sections;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    if (line.starts_with("shape ")) {
      TW_ASSIGN_OR_RETURN(GemmProblem problem, ParseShape(std::istringstream(line)));
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

void CompileOnly(const Section& section, const std::string& path, int& number) {
  const DeviceSpec device = ReferenceDevice("sm_90a").value();
  NvrtcCompiler compiler(LoadNvrtc({.file = "", .directories = {"/usr/local/cuda/lib64"}}).value());
  std::printf("%s\n", CanonicalText(section.problem).c_str());
  for (const Entrant& entrant : section.entrants) {
    const KernelFamily& family = *FindFamily(entrant.config.family);
    const PlanResult plan = family.plan(section.problem, device, entrant.config);
    if (!plan.resources) {
      std::printf("%s: %s: %s\n", entrant.what.c_str(), plan.rejection.rule.c_str(),
                  plan.rejection.detail.c_str());
      continue;
    }
    const KernelSource source =
        BuildSource({family, section.problem, device, entrant.config}, TemplateStore()).value();
    const auto kernel = compiler.Compile(source, {});
    std::printf("%s: %s\n", entrant.what.c_str(),
                kernel.ok() ? "compiles" : kernel.status().ToString().c_str());
    if (!kernel.ok())
      continue;
    const std::string stem = path + '.' + std::to_string(number++);
    std::ofstream(stem + ".cubin", std::ios::binary) << kernel->cubin;
    std::ofstream(stem + ".cu") << source.text;
    for (const EntryResources& entry : kernel->entries)
      std::printf("  %d registers, %d bytes spilled\n", entry.registers, entry.spill_store_bytes);
    for (const auto& warning : kernel->warnings)
      std::printf("  %s\n", warning.c_str());
  }
}

int Main(int argc, char** argv) {
  ContestOptions options{.library = 2};
  const auto regime = ParseRegime(argc > 2 ? argv[2] : "hot");
  if (argc < 2 || argc > 4 || !regime) {
    std::fprintf(stderr, "usage: contest FILE [hot|cool|alone [cold|pdl]]\n");
    return 2;
  }
  options.regime = *regime;
  if (argc > 3 && argv[3] == std::string(Name(Objective::kPdl)))
    options.objective = Objective::kPdl;
  const auto sections = Parse(argv[1]);
  GpuFixture gpu;
  if (!sections.ok()) {
    std::fprintf(stderr, "contest: %s\n", sections.status().ToString().c_str());
    return 2;
  }
  if (const std::string why = gpu.Open(); !why.empty()) {
    std::printf("NOTHING MEASURED: %s\n", why.c_str());
    int number = 0;
    for (const Section& section : *sections)
      CompileOnly(section, argv[1], number);
    return 0;
  }
  for (const Section& section : *sections)
    RunContest(gpu, section.problem, section.entrants, options);
  return ::testing::Test::HasFailure() ? 1 : 0;
}

}  // namespace
}  // namespace tw

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return tw::Main(argc, argv);
}
