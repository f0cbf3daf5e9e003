// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker/timing_selftest.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/compile/nvrtc_compiler.h"
#include "codegen/source_builder.h"
#include "codegen/source_text.h"
#include "tuner/device/cuda_device.h"
#include "tuner/device/device_buffer.h"
#include "tuner/device/fake_device.h"
#include "tuner/device/probe.h"
#include "tuner/measure/self_check.h"
#include "tuner/measure/support_kernels.h"
#include "tw/verify/work.h"

namespace tw {
namespace {

// Two sizes of the L2: the work streams from memory.
constexpr std::int64_t kL2Sizes = 2;
constexpr double kShortNs = 25e3;
constexpr double kLongNs = 1.5e6;

// The work kernel with a number of steps.
class Work final : public Contestant {
 public:
  Work(Device& device, KernelHandle kernel, const WorkParams& params)
      : device_(device),
        call_{.kernel = kernel,
              .grid = {static_cast<std::uint32_t>(device.Spec().sm_count * kWorkBlocksPerSm), 1, 1},
              .block = {kWorkThreads, 1, 1},
              .argument = ArgumentBytes(params)} {}

  [[nodiscard]] Status Launch(const GemmParams& /*params*/) const override {
    return device_.Launch(call_);
  }

  [[nodiscard]] std::int64_t workspace_bytes() const override { return 0; }

 private:
  Device& device_;
  KernelCall call_;
};

// The work brings its own data.
class NoOperands final : public Operands {
 public:
  [[nodiscard]] std::int64_t copies() const override { return 1; }

  [[nodiscard]] GemmParams Params(std::int64_t /*copy*/, DeviceAddress) const override {
    return {};
  }
};

// The first device of the machine, or the simulated one.
class FirstDevice {
 public:
  Status Open(const GpuRoleOptions& options) {
    if (options.fake) {
      TW_ASSIGN_OR_RETURN(FakeScript script, ParseFakeScript(options.fake_script));
      device_ = std::make_unique<FakeDevice>(std::move(script));
      return OkStatus();
    }
    TW_ASSIGN_OR_RETURN(driver_, LoadDriverApi());
    TW_ASSIGN_OR_RETURN(std::vector<DeviceSpec> specs, ProbeDevices(*driver_));
    if (specs.empty())
      return {StatusCode::kUnavailable, "the driver sees no device"};
    if (auto nvml = LoadNvmlApi(); nvml.ok())
      nvml_ = *std::move(nvml);
    TW_ASSIGN_OR_RETURN(device_,
                        OpenCudaDevice(*driver_, nvml_ ? &*nvml_ : nullptr, specs.front().uuid));
    return OkStatus();
  }

  Device& operator*() { return *device_; }

 private:
  std::optional<DriverApi> driver_;
  std::optional<NvmlApi> nvml_;
  std::unique_ptr<Device> device_;
};

Result<std::string> CompileWork(const TimingSelftest& options, const std::string& arch) {
  if (options.gpu.fake)
    return std::string();
  TW_ASSIGN_OR_RETURN(KernelSource source, BuildWorkSource(arch, TemplateStore()));
  TW_ASSIGN_OR_RETURN(NvrtcApi api, LoadNvrtc(options.nvrtc));
  NvrtcCompiler compiler(std::move(api));
  TW_ASSIGN_OR_RETURN(CompiledKernel kernel, compiler.Compile(source, {}));
  return std::move(kernel.cubin);
}

// Loads of that many steps.
std::int64_t LoadsIn(std::int64_t steps) {
  return (steps + kWorkStepsPerLoad - 1) / kWorkStepsPerLoad;
}

// A percent of few steps must not hold one load more: its latency would be 3 % of 25 us.
bool APercentIsAPercent(std::int64_t steps) {
  const std::int64_t more = steps / 100;
  return more >= kWorkStepsPerLoad || LoadsIn(steps) == LoadsIn(steps + more);
}

// Steps for about that time, in whole hundreds, so that a percent is a whole number too.
Result<std::int64_t> StepsFor(double time_ns,
                              TimingRig& rig,
                              const std::function<Work(std::int64_t)>& work) {
  constexpr std::int64_t kTrial = 10'000;
  constexpr std::int64_t kHundred = 100;
  const Work trial = work(kTrial);
  TW_ASSIGN_OR_RETURN(Timed timed, rig.Measure(trial));
  const double hundreds =
      std::round(kTrial * time_ns / std::max(timed.measurement.median_ns, 1.0) / kHundred);
  std::int64_t steps = kHundred * std::max<std::int64_t>(1, static_cast<std::int64_t>(hundreds));
  while (!APercentIsAPercent(steps))
    steps -= kHundred;  // ends: 100 steps are right
  return steps;
}

void Print(const SelfCheckRow& row, Regime regime, std::FILE* out) {
  constexpr double kNsPerUs = 1e3;
  std::fprintf(out, "%10.2f  %-9s  %7.4f  [%6.4f, %6.4f]  %5d  %9lld  %-6s  %5.0f  %-9s  %s\n",
               row.time_ns / kNsPerUs, row.check.c_str(), row.ratio.ratio, row.ratio.low,
               row.ratio.high, row.ratio.pairs, static_cast<long long>(row.discarded),
               std::string(Name(regime)).c_str(), row.conditions.sm_clock_mhz,
               std::string(Name(row.verdict)).c_str(),
               row.passed              ? "ok"
               : row.disturbed.empty() ? "WRONG"
                                       : row.disturbed.c_str());
}

SelfCheckRepeats RepeatsOf(Regime regime) {
  // A comparison of blocks takes ten seconds.
  if (regime == Regime::kAlone)
    return {.equal = 1, .slower = 1, .undivided = 2};
  return {};
}

}  // namespace

Result<KernelSource> BuildWorkSource(const std::string& arch, const TemplateStore& templates) {
  KernelSource source;
  source.entry = kWork;
  source.arch = arch;
  TW_ASSIGN_OR_RETURN(std::string text, templates.Read("work.cu.in"));
  TW_ASSIGN_OR_RETURN(source.text, FlattenIncludes(text, templates));
  for (std::string_view option : CompileOptions())
    source.options.emplace_back(option);
  source.digest = SourceDigest(source);
  return source;
}

Result<bool> RunTimingSelftest(const TimingSelftest& options, std::FILE* out) {
  FirstDevice first;
  TW_RETURN_IF_ERROR(first.Open(options.gpu));
  Device& device = *first;
  TW_ASSIGN_OR_RETURN(std::string image, CompileWork(options, device.Spec().arch));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<LoadedModule> module, device.Load(image));
  TW_ASSIGN_OR_RETURN(KernelHandle kernel, module->GetKernel(kWork, 0));
  const std::int64_t bytes = kL2Sizes * std::max<std::int64_t>(device.Spec().l2_bytes, 1 << 20);
  TW_ASSIGN_OR_RETURN(DeviceBuffer data, DeviceBuffer::Allocate(device.Memory(), bytes));
  TW_RETURN_IF_ERROR(device.Memory().Set(data.address(), 0, bytes));
  auto work = [&](std::int64_t steps) {
    return Work(device, kernel,
                {.data = DevicePointer<float>(data.address()),
                 .vectors = bytes / static_cast<std::int64_t>(sizeof(float) * 4),
                 .steps = steps});
  };
  const SteadyClock clock;
  const NoOperands operands;
  TimingRig rig(device, clock, operands, {});
  std::fprintf(out, "%s\n%10s  %-9s  %7s  %-16s  %5s  %9s  %-6s  %5s  %s\n",
               device.Spec().name.c_str(), "time us", "check", "ratio", "95 % interval", "pairs",
               "discarded", "regime", "MHz", "verdict");
  bool passed = true;
  for (double time_ns : {kShortNs, kLongNs}) {
    TW_ASSIGN_OR_RETURN(std::int64_t steps, StepsFor(time_ns, rig, work));
    const Work contestant = work(steps);
    const Work slower = work(steps + steps / 100);
    TW_ASSIGN_OR_RETURN(std::vector<SelfCheckRow> rows,
                        CheckStopwatch(rig, contestant, &slower,
                                       {.regime = options.regime, .max_seconds = options.seconds},
                                       RepeatsOf(options.regime)));
    for (const SelfCheckRow& row : rows) {
      Print(row, options.regime, out);
      passed = passed && row.passed;
    }
  }
  std::fputs(passed ? "the stopwatch is right\n" : "the stopwatch is WRONG\n", out);
  return passed;
}

}  // namespace tw
