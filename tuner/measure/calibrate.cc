// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/calibrate.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/device_buffer.h"
#include "tuner/measure/statistics.h"
#include "tuner/measure/support_kernels.h"

namespace tw {
namespace {

constexpr double kNsPerS = 1e9;
constexpr std::int64_t kVectorBytes = 16;
constexpr int kRepeats = 11;
// Clocks fall to their sustained level within 150 ms of load.
constexpr int kWarmLaunches = 12;
constexpr double kMathNs = 20e6;  // of one launch
constexpr std::int64_t kFirstSteps = 1000;
constexpr std::int64_t kMostSteps = 1 << 24;
constexpr std::int64_t kSmallL2 = 4 << 20;  // where the L2's size is not known
constexpr int kReadsPerGraph = 4;           // of the whole DRAM buffer
constexpr double kL2Ns = 1e6;               // of one launch
constexpr int kLaunchesPerGraph = 100;
constexpr std::uint8_t kFiller = 0x5a;

std::int64_t L2Bytes(std::int64_t of_spec) {
  return std::max(of_spec, kSmallL2);
}

// The median. Of a figure that is only shown (codegen/core/calibration.cc): no scatter loses the
// others.
Result<double> Shown(const char* what, std::span<const double> samples) {
  const double median = samples.empty() ? 0 : Median(samples);
  if (!(median > 0))
    return Status(StatusCode::kAborted, std::string(what) + ": the device took no time");
  return median;
}

// The same of a figure that comes into effect; Aborted where the middle half of the samples is
// wider than a quiet device's. (Half of them twice as long would leave their distances' median at
// 0.)
Result<double> Settled(const char* what, std::span<const double> samples) {
  constexpr double kMostScatter = 0.05;
  constexpr int kPercent = 100;
  TW_ASSIGN_OR_RETURN(const double median, Shown(what, samples));
  const double scatter = (Quantile(samples, 0.75) - Quantile(samples, 0.25)) / median;
  if (scatter <= kMostScatter)
    return median;
  return Status(StatusCode::kAborted, std::string(what) + ": repeats scatter by " +
                                          std::to_string(static_cast<int>(scatter * kPercent)) +
                                          " %: something else uses the device; try again");
}

// The kernels and buffers of one calibration. Outlived by the device.
class Bench {
 public:
  static Result<Bench> Open(Device& device, const CompiledKernel& kernels) {
    Bench bench(device);
    TW_RETURN_IF_ERROR(bench.Prepare(kernels));
    return bench;
  }

  // Heats the device first: the other figures are to be those of a warm one.
  Result<double> ClockUnderLoad() {
    TW_ASSIGN_OR_RETURN(const std::int64_t steps, StepsFor(kMathNs));
    TW_ASSIGN_OR_RETURN(const std::unique_ptr<LaunchGraph> graph, CaptureMath(steps));
    for (int i = 0; i < kWarmLaunches; ++i)
      TW_RETURN_IF_ERROR(graph->RunTimed().status());
    std::vector<double> clocks;
    for (int i = 0; i < kRepeats; ++i) {
      TW_RETURN_IF_ERROR(graph->RunTimed().status());
      TW_ASSIGN_OR_RETURN(const double clock, LastClockHz(SmCount()));
      clocks.push_back(clock);
    }
    return Shown("sm_clock_hz", clocks);
  }

  Result<double> DramBytesPerSecond() {
    const std::int64_t vectors = data_.bytes() / kVectorBytes;
    const std::int64_t loads = WholeLoads(vectors / ReadThreads());
    const auto enqueue = [&]() -> Status {
      for (int i = 0; i < kReadsPerGraph; ++i)
        TW_RETURN_IF_ERROR(LaunchRead(dram_, vectors, loads));
      return OkStatus();
    };
    TW_RETURN_IF_ERROR(LaunchRead(dram_, vectors, loads));  // a capture may not load a kernel
    TW_ASSIGN_OR_RETURN(const std::vector<double> times, Times(enqueue));
    TW_ASSIGN_OR_RETURN(const double ns, Settled("dram_bytes_per_s", times));
    return kReadsPerGraph * ReadBytes(loads) / ns * kNsPerS;
  }

  // By the clock of the same launch: reading draws less power than arithmetic, so that the clock
  // may differ.
  Result<double> L2BytesPerClock() {
    const std::int64_t vectors = L2Vectors();
    TW_ASSIGN_OR_RETURN(const std::int64_t loads, L2LoadsFor(vectors, kL2Ns));
    TW_ASSIGN_OR_RETURN(const std::unique_ptr<LaunchGraph> graph,
                        device_->Capture([&] { return LaunchRead(l2_, vectors, loads); }));
    std::vector<double> rates;
    for (int i = 0; i <= kRepeats; ++i) {
      TW_ASSIGN_OR_RETURN(const ReplayTime time, graph->RunTimed());
      TW_ASSIGN_OR_RETURN(const double clock, LastClockHz(ReadBlocks()));
      const double clocks = time.device_ns / kNsPerS * clock;
      if (i > 0 && clocks > 0)  // the first uploads the graph
        rates.push_back(ReadBytes(loads) / clocks / SmCount());
    }
    return Shown("l2_bytes_per_clock_per_sm", rates);
  }

  Result<double> LaunchSeconds() {
    const CalibrateNothingParams params{Sink()};
    const KernelCall call{.kernel = nothing_,
                          .grid = {static_cast<std::uint32_t>(SmCount()), 1, 1},
                          .block = {kCalibrateNothingThreads, 1, 1},
                          .argument = ArgumentBytes(params)};
    const auto enqueue = [&]() -> Status {
      for (int i = 0; i < kLaunchesPerGraph; ++i)
        TW_RETURN_IF_ERROR(device_->Launch(call));
      return OkStatus();
    };
    // The driver loads a kernel at its first launch, which a capture may not do.
    TW_RETURN_IF_ERROR(device_->Launch(call));
    TW_ASSIGN_OR_RETURN(const std::vector<double> times, Times(enqueue));
    TW_ASSIGN_OR_RETURN(const double ns, Shown("launch_s", times));
    return ns / kNsPerS / kLaunchesPerGraph;
  }

 private:
  explicit Bench(Device& device) : device_(&device) {}

  Status Prepare(const CompiledKernel& kernels) {
    TW_ASSIGN_OR_RETURN(module_, device_->Load(kernels.cubin));
    TW_ASSIGN_OR_RETURN(dram_, module_->GetKernel(kCalibrateDram, 0));
    TW_ASSIGN_OR_RETURN(l2_, module_->GetKernel(kCalibrateL2, 0));
    TW_ASSIGN_OR_RETURN(math_, module_->GetKernel(kCalibrateMath, 0));
    TW_ASSIGN_OR_RETURN(nothing_, module_->GetKernel(kCalibrateNothing, 0));
    DeviceMemory& memory = device_->Memory();
    TW_ASSIGN_OR_RETURN(const std::int64_t free_bytes, memory.FreeBytes());
    TW_ASSIGN_OR_RETURN(const std::int64_t bytes,
                        DramBufferBytes(device_->Spec().l2_bytes, free_bytes));
    TW_ASSIGN_OR_RETURN(data_, DeviceBuffer::Allocate(memory, bytes));
    TW_RETURN_IF_ERROR(memory.Set(data_.address(), kFiller, bytes));
    const std::int64_t ticks_bytes =
        std::int64_t{sizeof(BlockTicks)} * ReadBlocks() + std::int64_t{sizeof(BlockTicks)};
    TW_ASSIGN_OR_RETURN(ticks_, DeviceBuffer::Allocate(memory, ticks_bytes));
    return memory.Set(ticks_.address(), 0, ticks_bytes);
  }

  [[nodiscard]] int SmCount() const { return std::max(device_->Spec().sm_count, 1); }

  [[nodiscard]] int ReadBlocks() const { return SmCount() * kCalibrateReadBlocksPerSm; }

  [[nodiscard]] BlockTicks* Ticks() const { return DevicePointer<BlockTicks>(ticks_.address()); }

  // Behind the ticks.
  [[nodiscard]] std::uint32_t* Sink() const {
    return DevicePointer<std::uint32_t>(ticks_.address() +
                                        sizeof(BlockTicks) * static_cast<unsigned>(ReadBlocks()));
  }

  [[nodiscard]] std::int64_t ReadThreads() const {
    return std::int64_t{kCalibrateReadThreads} * ReadBlocks();
  }

  [[nodiscard]] double ReadBytes(std::int64_t loads) const {
    return static_cast<double>(loads * ReadThreads() * kVectorBytes);
  }

  static std::int64_t WholeLoads(std::int64_t loads) {
    return std::max<std::int64_t>(loads / kCalibrateLoads, 1) * kCalibrateLoads;
  }

  // A quarter of the L2: of one in two halves either may keep a copy of what is in the other. No
  // whole number of turns of the grid, so that a line is read from another SM in every turn.
  [[nodiscard]] std::int64_t L2Vectors() const {
    constexpr std::int64_t kShare = 4;
    constexpr std::int64_t kOddBlocks = 37;
    const std::int64_t quarter = L2Bytes(device_->Spec().l2_bytes) / kShare / kVectorBytes;
    const std::int64_t turns = std::max<std::int64_t>(quarter / ReadThreads(), 1);
    return turns * ReadThreads() + kOddBlocks * kCalibrateReadThreads;
  }

  Status LaunchRead(KernelHandle kernel, std::int64_t vectors, std::int64_t loads) {
    const CalibrateReadParams params{DevicePointer<const void>(data_.address()), vectors, loads,
                                     Ticks(), Sink()};
    return device_->Launch({.kernel = kernel,
                            .grid = {static_cast<std::uint32_t>(ReadBlocks()), 1, 1},
                            .block = {kCalibrateReadThreads, 1, 1},
                            .argument = ArgumentBytes(params)});
  }

  Result<std::unique_ptr<LaunchGraph>> CaptureMath(std::int64_t steps) {
    const CalibrateMathParams params{steps, Ticks(), Sink()};
    const KernelCall call{.kernel = math_,
                          .grid = {static_cast<std::uint32_t>(SmCount()), 1, 1},
                          .block = {kCalibrateMathThreads, 1, 1},
                          .argument = ArgumentBytes(params)};
    TW_RETURN_IF_ERROR(device_->Launch(call));
    TW_RETURN_IF_ERROR(device_->Synchronize());
    return device_->Capture([&] { return device_->Launch(call); });
  }

  // Of the kernel that ran last.
  Result<double> LastClockHz(int blocks) {
    std::vector<BlockTicks> ticks(static_cast<std::size_t>(blocks));
    TW_RETURN_IF_ERROR(
        device_->Memory().Read(std::as_writable_bytes(std::span(ticks)), ticks_.address()));
    return ClockHz(ticks);
  }

  // How many steps or loads take `ns`, by a short run of `few`.
  static std::int64_t CountFor(double ns, std::int64_t few, double few_ns) {
    const double count = ns / std::max(few_ns, 1.0) * static_cast<double>(few);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(count), 1, kMostSteps);
  }

  Result<std::int64_t> StepsFor(double ns) {
    TW_ASSIGN_OR_RETURN(const std::unique_ptr<LaunchGraph> graph, CaptureMath(kFirstSteps));
    TW_ASSIGN_OR_RETURN(const ReplayTime time, graph->RunTimed());
    return CountFor(ns, kFirstSteps, time.device_ns);
  }

  Result<std::int64_t> L2LoadsFor(std::int64_t vectors, double ns) {
    constexpr std::int64_t kFew = 256;
    TW_RETURN_IF_ERROR(LaunchRead(l2_, vectors, kFew));  // loads the kernel, fills the L2
    TW_ASSIGN_OR_RETURN(const std::unique_ptr<LaunchGraph> graph,
                        device_->Capture([&] { return LaunchRead(l2_, vectors, kFew); }));
    TW_ASSIGN_OR_RETURN(const ReplayTime time, graph->RunTimed());
    return WholeLoads(CountFor(ns, kFew, time.device_ns));
  }

  // Of what `enqueue` launches, repeated; the first replay, which uploads the graph, left out.
  Result<std::vector<double>> Times(const std::function<Status()>& enqueue) {
    TW_ASSIGN_OR_RETURN(const std::unique_ptr<LaunchGraph> graph, device_->Capture(enqueue));
    std::vector<double> times;
    for (int i = 0; i <= kRepeats; ++i) {
      TW_ASSIGN_OR_RETURN(const ReplayTime time, graph->RunTimed());
      if (i > 0)
        times.push_back(time.device_ns);
    }
    return times;
  }

  Device* device_;
  std::unique_ptr<LoadedModule> module_;
  KernelHandle dram_, l2_, math_, nothing_;
  DeviceBuffer data_;
  DeviceBuffer ticks_;
};

}  // namespace

double ClockHz(std::span<const BlockTicks> ticks) {
  std::vector<double> clocks;
  for (const BlockTicks& block : ticks) {
    if (block.clocks > 0 && block.ns > 0)
      clocks.push_back(static_cast<double>(block.clocks) / static_cast<double>(block.ns) * kNsPerS);
  }
  return clocks.empty() ? 0 : Median(clocks);
}

Result<std::int64_t> DramBufferBytes(std::int64_t l2_bytes, std::int64_t free_bytes) {
  constexpr std::int64_t kBest = 16;
  constexpr std::int64_t kLeast = 4;
  const std::int64_t l2 = L2Bytes(l2_bytes);
  const std::int64_t room = free_bytes / 2;
  if (room < kLeast * l2) {
    return Status(StatusCode::kResourceExhausted,
                  std::to_string(free_bytes) + " bytes of the device's memory are free; half of " +
                      "them must hold " + std::to_string(kLeast) + " times the L2, " +
                      std::to_string(kLeast * l2) + " bytes");
  }
  return std::min(kBest * l2, room);
}

Result<Calibration> MeasureCalibration(Device& device, const CompiledKernel& kernels) {
  TW_ASSIGN_OR_RETURN(Bench bench, Bench::Open(device, kernels));
  Calibration calibration{.device_uuid = device.Spec().uuid,
                          .driver_version = device.Spec().driver_version};
  TW_ASSIGN_OR_RETURN(calibration.sm_clock_hz, bench.ClockUnderLoad());
  TW_ASSIGN_OR_RETURN(calibration.l2_bytes_per_clock_per_sm, bench.L2BytesPerClock());
  TW_ASSIGN_OR_RETURN(calibration.dram_bytes_per_s, bench.DramBytesPerSecond());
  TW_ASSIGN_OR_RETURN(calibration.launch_s, bench.LaunchSeconds());
  return calibration;
}

}  // namespace tw
