// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/fake_device.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "codegen/core/digest.h"
#include "tuner/device/cublaslt_problem.h"
#include "tuner/device/cuda_types.h"
#include "tuner/device/fake_calibration.h"
#include "tuner/device/fake_library.h"
#include "tuner/device/host_elements.h"
#include "tw/verify/random.cuh"
#include "tw/verify/work.h"

namespace tw {
namespace {

template <class Params>
Params ParamsFrom(const KernelCall& call) {
  TW_CHECK(call.argument.size() == sizeof(Params));
  Params params;
  std::memcpy(&params, call.argument.data(), sizeof(Params));
  return params;
}

// Tensor maps may follow, which say nothing to a fake.
GemmParams GemmParamsFrom(const KernelCall& call) {
  TW_CHECK(call.argument.size() >= sizeof(GemmParams));
  GemmParams params;
  std::memcpy(&params, call.argument.data(), sizeof(GemmParams));
  return params;
}

std::uint64_t HashOf(const std::string& entry) {
  return std::stoull(Sha256Hex(entry).substr(0, 15), nullptr, 16);
}

// multiply-adds of the problem; saturates.
double MultiplyAdds(const GemmProblem& problem) {
  return Flops(problem) / 2;
}

void TakeRealTime(const FakeRule& rule) {
  constexpr std::chrono::milliseconds kPoll{2};
  if (rule.behaviour == FakeBehaviour::kSlow)
    std::this_thread::sleep_for(std::chrono::milliseconds(rule.slow_ms));
  while (rule.behaviour == FakeBehaviour::kHeld && std::filesystem::exists(rule.held_by))
    std::this_thread::sleep_for(kPoll);
}

[[noreturn]] void Hang() {
  // What a kernel that never ends does to its process: only SIGKILL helps.
  static_cast<void>(std::signal(SIGTERM, SIG_IGN));
  for (;;)
    std::this_thread::sleep_for(std::chrono::seconds(1));
}

}  // namespace

// All entries of a module do what the rule of the first one says, so that a plan of several
// launches is one candidate. The first takes the time, the others a microsecond.
class FakeModule final : public LoadedModule {
 public:
  explicit FakeModule(FakeDevice& device) : device_(device) {}

  Result<KernelHandle> GetKernel(const std::string& entry, std::uint32_t /*smem*/) override {
    constexpr double kFollowerNs = 1000;
    FakeDevice::Kernel kernel;
    kernel.entry = entry;
    kernel.judging = entry.starts_with("tw_verify_");
    if (IsCalibrating(entry)) {
      kernel.rule.behaviour = device_.script_.calibration.behaviour;
      device_.memory_.SetVirtual(true);  // the buffers are large and nobody looks into them
    } else if (!kernel.judging) {
      const bool first = !rule_.has_value();
      if (first)
        rule_ = device_.script_.Take(entry);
      kernel.rule = *rule_;
      kernel.time_ns = first ? device_.SimulatedNs(entry, *rule_) : kFollowerNs;
    }
    return device_.AddKernel(std::move(kernel));
  }

 private:
  FakeDevice& device_;
  std::optional<FakeRule> rule_;
};

// Computes once, at the first replay, what the first set of operands gives; then only counts time.
class FakeGraph final : public LaunchGraph {
 public:
  FakeGraph(FakeDevice& device, std::vector<KernelCall> calls)
      : device_(device), calls_(std::move(calls)) {
    for (const KernelCall& call : calls_)
      total_ns_ += TimeOf(call);
  }

  Result<ReplayTime> RunTimed() override {
    TW_RETURN_IF_ERROR(device_.Failure());
    if (!std::exchange(computed_, true))
      TW_RETURN_IF_ERROR(ComputeOnce());
    const FakeDevice::Kernel& first = device_.KernelOf(calls_.front());
    TakeRealTime(first.rule);
    return device_.Disturbed(total_ns_ * device_.Noise(first));
  }

 private:
  [[nodiscard]] double TimeOf(const KernelCall& call) const {
    constexpr double kWorkStepNs = 40;
    const FakeDevice::Kernel& kernel = device_.KernelOf(call);
    if (kernel.entry == kWork)
      return kWorkStepNs * static_cast<double>(ParamsFrom<WorkParams>(call).steps);
    if (IsCalibrating(kernel.entry))
      return FakeCalibration(device_.spec_, device_.script_.calibration).TimeNs(kernel.entry, call);
    return kernel.time_ns;
  }

  Status ComputeOnce() {
    std::set<std::uint64_t> seen;
    for (const KernelCall& call : calls_) {
      if (!seen.insert(call.kernel.value).second)
        break;
      TW_RETURN_IF_ERROR(device_.Launch(call));
    }
    return device_.Synchronize();
  }

  FakeDevice& device_;
  std::vector<KernelCall> calls_;
  double total_ns_ = 0;
  bool computed_ = false;
};

DeviceSpec FakeDeviceSpec() {
  constexpr int kDriverVersion = 13000;
  DeviceSpec spec = ReferenceDevice("sm_90a").value();
  spec.name = "Fake H200";
  spec.uuid = "GPU-fake-0000";
  spec.driver_version = kDriverVersion;
  return spec;
}

FakeDevice::FakeDevice(FakeScript script, DeviceSpec spec)
    : script_(std::move(script)),
      spec_(std::move(spec)),
      memory_(spec_.memory_bytes, [this] { return Failure(); }) {
  reading_.conditions = {.sm_clock_mhz = 1755,
                         .temperature_c = 50,
                         .power_w = 600,
                         .power_limit_w = 700,
                         .throttle_reasons = 0};
  reading_.compute_processes = 1;
}

void FakeDevice::SetProblem(const GemmProblem& problem) {
  kernels_on_cpu_ = std::make_unique<FakeKernels>(problem);
  virtual_ = MultiplyAdds(problem) > static_cast<double>(kFakeLimit);
  memory_.SetVirtual(virtual_);
}

Status FakeDevice::Failure() {
  if (!faulted_)
    return OkStatus();
  NoteError(kCuIllegalAddress);
  return {StatusCode::kDataLoss, "cuStreamSynchronize: CUDA error 700 CUDA_ERROR_ILLEGAL_ADDRESS"};
}

KernelHandle FakeDevice::AddKernel(Kernel kernel) {
  kernels_.push_back(std::move(kernel));
  return {kernels_.size() - 1};
}

KernelHandle FakeDevice::AddCandidate(const std::string& entry, const FakeRule& rule) {
  Kernel kernel;
  kernel.entry = entry;
  kernel.rule = rule;
  kernel.time_ns = SimulatedNs(entry, rule);
  return AddKernel(std::move(kernel));
}

Result<std::unique_ptr<GemmLibrary>> FakeDevice::OpenGemmLibrary(const GemmProblem& problem) {
  TW_RETURN_IF_ERROR(Failure());
  if (!script_.library)
    return Status(StatusCode::kUnavailable, "the fake library is absent");
  TW_RETURN_IF_ERROR(ForCublasLt(problem).status());
  return std::unique_ptr<GemmLibrary>(std::make_unique<FakeLibrary>(*this, *script_.library));
}

Result<std::unique_ptr<LoadedModule>> FakeDevice::Load(const std::string& /*image*/) {
  TW_RETURN_IF_ERROR(Failure());
  return std::unique_ptr<LoadedModule>(std::make_unique<FakeModule>(*this));
}

Status FakeDevice::Launch(const KernelCall& call) {
  TW_RETURN_IF_ERROR(Failure());
  if (captured_ != nullptr) {
    captured_->push_back(call);
    return OkStatus();
  }
  Kernel& kernel = KernelOf(call);
  if (kernel.entry == kWork)
    return OkStatus();
  if (IsCalibrating(kernel.entry)) {
    TW_RETURN_IF_ERROR(Misbehave(kernel));
    FakeCalibration(spec_, script_.calibration).Run(kernel.entry, call);
    return OkStatus();
  }
  if (!kernel.judging)
    return RunCandidate(kernel, call);
  if (virtual_)
    JudgeVirtually(kernel.entry, call);
  else
    RunJudging(kernel.entry, call);
  return OkStatus();
}

Result<TensorMapBytes> FakeDevice::EncodeTensorMap(const TensorMapRecipe& recipe,
                                                   DeviceAddress address) {
  TW_RETURN_IF_ERROR(CheckTensorMap(recipe, address));
  TensorMapBytes map{};
  std::memcpy(map.data(), &address, sizeof(address));
  return map;
}

Status FakeDevice::Synchronize() {
  return Failure();
}

Result<std::unique_ptr<LaunchGraph>> FakeDevice::Capture(const std::function<Status()>& enqueue) {
  TW_RETURN_IF_ERROR(Failure());
  std::vector<KernelCall> calls;
  captured_ = &calls;
  Status launched = enqueue();
  captured_ = nullptr;
  TW_RETURN_IF_ERROR(launched);
  TW_CHECK(!calls.empty());
  return std::unique_ptr<LaunchGraph>(std::make_unique<FakeGraph>(*this, std::move(calls)));
}

void FakeDevice::RunJudging(const std::string& entry, const KernelCall& call) {
  FakeKernels& cpu = *kernels_on_cpu_;
  const GemmProblem& p = cpu.problem();
  if (entry == kFillA) {
    cpu.Fill(ParamsFrom<FillParams>(call), p.a.type, KAxis::kCols);
  } else if (entry == kFillB) {
    cpu.Fill(ParamsFrom<FillParams>(call), p.b.type, KAxis::kRows);
  } else if (entry == kFillC) {
    cpu.Fill(ParamsFrom<FillParams>(call), p.c.type, KAxis::kNone);
  } else if (entry == kFillBias) {
    cpu.Fill(ParamsFrom<FillParams>(call), BiasType(p), KAxis::kNone);
  } else if (entry == kFillScale) {
    cpu.FillScales(ParamsFrom<FillParams>(call));
  } else if (entry == kReference) {
    cpu.Reference(ParamsFrom<ReferenceParams>(call));
  } else if (entry == kCompare) {
    cpu.Compare(ParamsFrom<CompareParams>(call));
  } else if (entry == kGuard) {
    cpu.Guard(ParamsFrom<GuardParams>(call));
  } else if (entry == kScan) {
    cpu.Scan(ParamsFrom<ScanParams>(call));
  } else if (entry == kHash) {
    cpu.HashLines(ParamsFrom<HashParams>(call));
  } else if (entry == kScrub) {
    // A host has no shared memory.
  } else {
    const DType type = entry == kSumA ? p.a.type : entry == kSumB ? p.b.type : p.d.type;
    FakeKernels::SumRows(ParamsFrom<SumParams>(call), type);
  }
}

void FakeDevice::JudgeVirtually(const std::string& entry, const KernelCall& call) {
  if (entry == kCompare) {
    CompareVirtually(ParamsFrom<CompareParams>(call));
  } else if (entry == kGuard && last_behaviour_ == FakeBehaviour::kOob) {
    const auto params = ParamsFrom<GuardParams>(call);
    if (params.matrix.data == last_d_)
      params.result->count = 1;
  } else if (entry == kHash && last_behaviour_ == FakeBehaviour::kNondeterministic) {
    ParamsFrom<HashParams>(call).buckets[0] = draws_++;
  }
}

void FakeDevice::CompareVirtually(const CompareParams& params) const {
  constexpr double kUsualRatio = 0.1;
  constexpr double kWrongRatio = 1000;
  CompareResult& result = *params.result;
  double ratio = kUsualRatio;
  const auto last = static_cast<uint64>(SlotsOf(params.d, params.coverage) - 1);
  if (last_behaviour_ == FakeBehaviour::kWrong) {
    ratio = kWrongRatio;
    result.wrong = 1;
    result.first_bad = last;
  } else if (last_behaviour_ == FakeBehaviour::kNan) {
    result.nan = 1;
    result.first_bad = last;
  } else if (last_behaviour_ == FakeBehaviour::kNoop) {
    result.unwritten = last + 1;
    result.first_bad = 0;
  }
  result.worst_ratio_bits = std::bit_cast<uint64>(ratio);
}

Status FakeDevice::Misbehave(const Kernel& kernel) {
  switch (kernel.rule.behaviour) {
    case FakeBehaviour::kHang:
      Hang();
    case FakeBehaviour::kCrash:
      std::abort();
    case FakeBehaviour::kSticky:
      faulted_ = true;
      return OkStatus();
    case FakeBehaviour::kLaunchError:
      return {StatusCode::kInternal,
              "cuLaunchKernel: CUDA error 701 CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"};
    default:
      return OkStatus();
  }
}

Status FakeDevice::RunCandidate(Kernel& kernel, const KernelCall& call) {
  const GemmParams params = GemmParamsFrom(call);
  last_behaviour_ = kernel.rule.behaviour;
  last_d_ = params.d;
  TW_RETURN_IF_ERROR(Misbehave(kernel));
  if (faulted_)
    return OkStatus();
  TakeRealTime(kernel.rule);
  if (virtual_ || kernel.rule.behaviour == FakeBehaviour::kNoop)
    return OkStatus();
  kernels_on_cpu_->Candidate(params);
  Spoil(kernel, params);
  return OkStatus();
}

void FakeDevice::Spoil(Kernel& kernel, const GemmParams& params) {
  std::byte* last = kernels_on_cpu_->LastElement(params);
  const DType type = kernels_on_cpu_->problem().d.type;
  const int bytes = BytesOf(type);
  constexpr double kOff = 1000;
  const bool again = !kernel.seen.insert(params.a).second;
  switch (kernel.rule.behaviour) {
    case FakeBehaviour::kWrong:
      StoreElement(type, LoadElement(type, last) + kOff, last);
      break;
    case FakeBehaviour::kNan:
      // The pattern that arithmetic produces; integers have none.
      if (!Info(type).integer)
        std::fill(last, last + bytes, std::byte{0xff});
      last[bytes - 1] = std::byte{0x7f};
      break;
    case FakeBehaviour::kOob:
      last[bytes] ^= std::byte{0xff};
      break;
    case FakeBehaviour::kNondeterministic:
      if (again)
        last[0] ^= std::byte{1};
      break;
    case FakeBehaviour::kDirty:
      if (params.workspace != nullptr)
        *static_cast<std::byte*>(params.workspace) = std::byte{1};
      break;
    default:
      break;
  }
}

double FakeDevice::SimulatedNs(const std::string& entry, const FakeRule& rule) const {
  constexpr double kOverheadNs = 2000;
  constexpr double kInefficiency = 1.3;
  constexpr double kNsPerS = 1e9;
  constexpr std::uint64_t kSpread = 1000;  // from one to two times as long, by name
  if (rule.time_ns)
    return *rule.time_ns;
  if (script_.time_ns)
    return *script_.time_ns;
  TW_CHECK(kernels_on_cpu_ != nullptr);
  const GemmProblem& problem = kernels_on_cpu_->problem();
  const double fma_s = MultiplyAdds(problem) / (spec_.fma_f32 * spec_.sm_count * spec_.sm_clock_hz);
  const double dram_s = MinimumBytes(problem) / spec_.dram_bytes_per_s;
  const double share = static_cast<double>(HashOf(entry) % kSpread) / kSpread;
  return (kOverheadNs + kInefficiency * kNsPerS * std::max(fma_s, dram_s)) * (1 + share);
}

DeviceReading FakeDevice::ReadConditions() {
  DeviceReading reading = reading_;
  for (const FakeDisturbance& disturbance : script_.disturbances) {
    if (!disturbance.IsOn(now_s_))
      continue;
    Conditions& conditions = reading.conditions;
    conditions.sm_clock_mhz = disturbance.sm_clock_mhz.value_or(conditions.sm_clock_mhz);
    conditions.throttle_reasons |= disturbance.throttle_reasons.value_or(0);
    reading.compute_processes = disturbance.compute_processes.value_or(reading.compute_processes);
  }
  return reading;
}

void FakeDevice::Pause(std::chrono::nanoseconds duration) {
  now_s_ += std::chrono::duration<double>(duration).count();
}

ReplayTime FakeDevice::Disturbed(double device_ns) {
  constexpr double kTurnaroundNs = 7000;
  constexpr double kNsPerUs = 1e3;
  constexpr double kNsPerS = 1e9;
  double wait_ns = kTurnaroundNs;
  for (const FakeDisturbance& disturbance : script_.disturbances) {
    if (!disturbance.IsOn(now_s_))
      continue;
    device_ns *= disturbance.factor;
    wait_ns += kNsPerUs * disturbance.wait_us;
  }
  const ReplayTime time{.device_ns = device_ns, .host_ns = device_ns + wait_ns};
  now_s_ += time.host_ns / kNsPerS;
  return time;
}

double FakeDevice::Noise(const Kernel& kernel) {
  constexpr double kQuiet = 0.0005;
  constexpr double kNoisy = 0.3;
  constexpr double kRange = 4294967296.0;
  const double amount = kernel.rule.behaviour == FakeBehaviour::kNoise ? kNoisy : kQuiet;
  const auto bits = HashCounter(draws_++, HashOf(kernel.entry)) >> 32U;
  return 1 + amount * static_cast<double>(bits) / kRange;
}

}  // namespace tw
