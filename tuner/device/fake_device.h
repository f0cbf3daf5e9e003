// Device in host memory: the judging kernels run on the CPU, candidates compute the right D and
// then do what a script says, times are simulated. It ships in the worker behind --fake, so that
// the whole service can be tested without a GPU. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tuner/device/device.h"
#include "tuner/device/fake_kernels.h"
#include "tuner/device/fake_memory.h"
#include "tuner/device/fake_script.h"

namespace tw {

// One H200-like device, "GPU-fake-0000".
DeviceSpec FakeDeviceSpec();

// Above kFakeLimit multiply-adds nothing is computed: kernels have no effect, comparisons find what
// the script says, and large blocks of memory are not backed.
class FakeDevice final : public Device {
 public:
  static constexpr std::int64_t kFakeLimit = 50'000'000;

  explicit FakeDevice(FakeScript script, DeviceSpec spec = FakeDeviceSpec());

  // The problem that every kernel loaded from now on computes: an image says nothing to a fake.
  // Requires: normalised; nothing of an earlier problem is still in use.
  void SetProblem(const GemmProblem& problem);

  // What ReadConditions answers from now on, but for the script's disturbances.
  void SetReading(const DeviceReading& reading) { reading_ = reading; }

  [[nodiscard]] const DeviceSpec& Spec() const override { return spec_; }

  DeviceMemory& Memory() override { return memory_; }

  Result<std::unique_ptr<LoadedModule>> Load(const std::string& image) override;
  Status Launch(const KernelCall& call) override;
  Status Synchronize() override;
  Result<std::unique_ptr<LaunchGraph>> Capture(const std::function<Status()>& enqueue) override;

  DeviceReading ReadConditions() override;

  Result<DeviceSpan> Scratch() override { return DeviceSpan{}; }

  // The rules of the hardware; the bytes begin with the address.
  Result<TensorMapBytes> EncodeTensorMap(const TensorMapRecipe& recipe,
                                         DeviceAddress address) override;

  Status LaunchBeside(const KernelCall& /*call*/) override { return Failure(); }

  void Pause(std::chrono::nanoseconds duration) override;

  Result<std::unique_ptr<GemmLibrary>> OpenGemmLibrary(const GemmProblem& problem) override;

  // A kernel that computes the problem and then does what the rule says.
  KernelHandle AddCandidate(const std::string& entry, const FakeRule& rule);

 private:
  friend class FakeModule;
  friend class FakeGraph;

  struct Kernel {
    std::string entry;
    bool judging = false;
    FakeRule rule;               // of candidates
    double time_ns = 0;          // of one launch
    std::set<const void*> seen;  // A of the launches so far
  };

  // The error that a sticky fault makes of every call.
  Status Failure();
  KernelHandle AddKernel(Kernel kernel);

  Kernel& KernelOf(const KernelCall& call) { return kernels_[call.kernel.value]; }

  void RunJudging(const std::string& entry, const KernelCall& call);
  void JudgeVirtually(const std::string& entry, const KernelCall& call);
  // What the rule says against the kernel: an error now, or at the next call, or no return.
  Status Misbehave(const Kernel& kernel);
  Status RunCandidate(Kernel& kernel, const KernelCall& call);
  void Spoil(Kernel& kernel, const GemmParams& params);
  void CompareVirtually(const CompareParams& params) const;
  [[nodiscard]] double SimulatedNs(const std::string& entry, const FakeRule& rule) const;

  // The script's disturbances on a replay that takes `device_ns` alone; time moves on.
  ReplayTime Disturbed(double device_ns);

  // Seeded noise around 1: 0.05 %, or 30 % for a noisy candidate.
  double Noise(const Kernel& kernel);

  FakeScript script_;
  DeviceSpec spec_;
  FakeMemory memory_;
  std::unique_ptr<FakeKernels> kernels_on_cpu_;
  bool virtual_ = false;
  bool faulted_ = false;  // shows at the next call
  DeviceReading reading_;
  std::vector<Kernel> kernels_;
  std::vector<KernelCall>* captured_ = nullptr;        // where launches go during a capture
  FakeBehaviour last_behaviour_ = FakeBehaviour::kOk;  // of the last candidate launched
  const void* last_d_ = nullptr;
  std::uint64_t draws_ = 0;
  double now_s_ = 0;  // simulated
};

}  // namespace tw
