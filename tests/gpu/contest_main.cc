// contest FILE [REGIME [OBJECTIVE]]: configurations by hand (contest_file.h) in turns with the
// library's fastest algorithms. Exits 1 if a kernel is wrong. Without a GPU it compiles them for
// sm_90a, says what the compiler says and leaves the n-th, from 0, in FILE.n.cu and FILE.n.cubin.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "codegen/families/registry.h"
#include "codegen/source_builder.h"
#include "contest.h"
#include "contest_file.h"

namespace tw {
namespace {

void CompileOnly(const ContestSection& section, const std::string& path, int& number) {
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
  const auto sections = ReadContestFile(argv[1]);
  GpuFixture gpu;
  if (!sections.ok()) {
    std::fprintf(stderr, "contest: %s\n", sections.status().ToString().c_str());
    return 2;
  }
  if (const std::string why = gpu.Open(); !why.empty()) {
    std::printf("NOTHING MEASURED: %s\n", why.c_str());
    int number = 0;
    for (const ContestSection& section : *sections)
      CompileOnly(section, argv[1], number);
    return 0;
  }
  for (const ContestSection& section : *sections)
    RunContest(gpu, section.problem, section.entrants, options);
  return ::testing::Test::HasFailure() ? 1 : 0;
}

}  // namespace
}  // namespace tw

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return tw::Main(argc, argv);
}
