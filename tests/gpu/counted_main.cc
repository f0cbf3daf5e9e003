// counted conflicts | counted dram FILE: for a profiler. Launches kernels once each and prints what
// the search predicts of them, a line a kernel in the order of the launches, fields behind tabs:
//   conflicts: entry, bank conflicts, wavefronts without any
//   dram, of FILE's configurations (contest_file.h): entry, bytes read, bytes written, bytes of the
//     L2, shape and configuration
// Without a GPU it says so, compiles for sm_90a and predicts for the reference device.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/families/registry.h"
#include "codegen/source_builder.h"
#include "conflict_kernel.h"
#include "contest_file.h"
#include "counted_dram.h"
#include "gpu_fixture.h"
#include "parallel.h"
#include "tuner/device/device_buffer.h"
#include "tuner/measure/loaded_candidate.h"
#include "tuner/measure/timed_buffers.h"

namespace tw {
namespace {

// The machine's GPU, or a compiler alone.
class Machine {
 public:
  Machine() {
    const std::string why = gpu_.Open();
    if (why.empty()) {
      spec_ = gpu_.device().Spec();
      return;
    }
    std::fprintf(stderr, "NOTHING LAUNCHED: %s\n", why.c_str());
    spec_ = ReferenceDevice("sm_90a").value();
    alone_ = std::make_unique<NvrtcCompiler>(
        LoadNvrtc({.file = "", .directories = {"/usr/local/cuda/lib64"}}).value());
  }

  [[nodiscard]] const DeviceSpec& Spec() const { return spec_; }

  // Null where there is none.
  GpuFixture* gpu() { return alone_ == nullptr ? &gpu_ : nullptr; }

  CompiledKernel Compile(const KernelSource& source) {
    return alone_ == nullptr ? gpu_.Compile(source) : alone_->Compile(source, {}).value();
  }

 private:
  GpuFixture gpu_;
  DeviceSpec spec_;
  std::unique_ptr<NvrtcCompiler> alone_;
};

Status Launch(Device& device, const ConflictCase& layout, const CompiledKernel& kernel) {
  const std::uint32_t threads = ConflictThreads(layout);
  TW_ASSIGN_OR_RETURN(const auto module, device.Load(kernel.cubin));
  TW_ASSIGN_OR_RETURN(const KernelHandle handle, module->GetKernel(layout.name, 0));
  TW_ASSIGN_OR_RETURN(const DeviceBuffer out, DeviceBuffer::Allocate(device.Memory(), threads * 4));
  TW_RETURN_IF_ERROR(device.Launch(
      {.kernel = handle, .block = {threads, 1, 1}, .argument = ArgumentBytes(out.address())}));
  return device.Synchronize();
}

Status Conflicts(Machine& machine) {
  for (const ConflictCase& layout : ConflictCases()) {
    const CompiledKernel kernel = machine.Compile(ConflictSource(layout, machine.Spec().arch));
    if (machine.gpu() != nullptr)
      TW_RETURN_IF_ERROR(Launch(machine.gpu()->device(), layout, kernel));
    std::printf("%s\t%lld\t%lld\n", layout.name.c_str(),
                static_cast<long long>(PredictedConflicts(layout)),
                static_cast<long long>(PhasesOf(layout)));
  }
  return OkStatus();
}

struct DramCase {
  const GemmProblem* problem = nullptr;
  CountedCandidate counted;
  CompiledKernel kernel;
};

Result<std::vector<DramCase>> CompiledCases(Machine& machine,
                                            const std::vector<ContestSection>& sections) {
  std::vector<DramCase> cases;
  for (const ContestSection& section : sections) {
    for (const Entrant& entrant : section.entrants) {
      TW_ASSIGN_OR_RETURN(CountedCandidate counted,
                          ToCount(section.problem, machine.Spec(), entrant.config));
      cases.push_back({&section.problem, std::move(counted), {}});
    }
  }
  ForEachInParallel(cases.size(), [&](std::size_t i) {
    DramCase& c = cases[i];
    const KernelConfig& config = c.counted.candidate.config;
    c.kernel = machine.Compile(
        BuildSource({*FindFamily(config.family), *c.problem, machine.Spec(), config},
                    TemplateStore())
            .value());
  });
  return cases;
}

Status Launch(GpuFixture& gpu, const DramCase& c) {
  Device& device = gpu.device();
  TW_ASSIGN_OR_RETURN(SupportKernels support,
                      SupportKernels::Load(device, gpu.CompileSupport(*c.problem)));
  TW_ASSIGN_OR_RETURN(const TimedBuffers buffers,
                      TimedBuffers::Make(device, support, *c.problem, {}));
  TW_ASSIGN_OR_RETURN(const LoadedCandidate candidate,
                      LoadedCandidate::Load(device, {"", c.kernel, c.counted.plan}));
  DeviceBuffer workspace;
  if (candidate.workspace_bytes() > 0) {
    TW_ASSIGN_OR_RETURN(workspace,
                        DeviceBuffer::Allocate(device.Memory(), candidate.workspace_bytes()));
    TW_RETURN_IF_ERROR(device.Memory().Set(workspace.address(), 0, workspace.bytes()));
  }
  TW_RETURN_IF_ERROR(candidate.Launch(buffers.Params(0, workspace.address())));
  return device.Synchronize();
}

Status Dram(Machine& machine, const std::string& file) {
  TW_ASSIGN_OR_RETURN(const std::vector<ContestSection> sections, ReadContestFile(file));
  TW_ASSIGN_OR_RETURN(const std::vector<DramCase> cases, CompiledCases(machine, sections));
  for (const DramCase& c : cases) {
    if (machine.gpu() != nullptr)
      TW_RETURN_IF_ERROR(Launch(*machine.gpu(), c));
    const GemmProblem& p = *c.problem;
    const DramPrediction dram = PredictDram(p, machine.Spec(), c.counted, c.kernel);
    std::printf("%s\t%.0f\t%.0f\t%lld\t%lldx%lldx%lldx%lld %s\n",
                c.counted.plan.launches.front().entry.c_str(), dram.read, dram.written,
                static_cast<long long>(machine.Spec().l2_bytes), static_cast<long long>(p.m),
                static_cast<long long>(p.n), static_cast<long long>(p.k),
                static_cast<long long>(p.batch), Text(c.counted.candidate.config).c_str());
  }
  return OkStatus();
}

int Main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (!(what == "conflicts" && argc == 2) && !(what == "dram" && argc == 3)) {
    std::fprintf(stderr, "usage: counted conflicts | counted dram FILE\n");
    return 2;
  }
  Machine machine;
  const Status status = what == "dram" ? Dram(machine, argv[2]) : Conflicts(machine);
  if (!status.ok())
    std::fprintf(stderr, "counted: %s\n", status.ToString().c_str());
  return status.ok() && !::testing::Test::HasFailure() ? 0 : 1;
}

}  // namespace
}  // namespace tw

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return tw::Main(argc, argv);
}
