// Device seam: what judging a kernel needs of a GPU. Implemented over the CUDA driver
// (cuda_device.h) and in host memory (fake_device.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"
#include "codegen/core/outcome.h"
#include "codegen/core/status.h"
#include "codegen/core/tensor_map.h"
#include "tuner/device/gemm_library.h"

namespace tw {

using DeviceAddress = std::uint64_t;

struct KernelHandle {
  std::uint64_t value = 0;
};

// One launch; the members mean what KernelLaunch's do. `argument` is the kernel's single parameter,
// a struct by value.
struct KernelCall {
  KernelHandle kernel;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t dynamic_smem_bytes = 0;
  std::array<std::uint32_t, 3> cluster{1, 1, 1};
  bool cooperative = false;
  bool programmatic = false;
  std::vector<std::byte> argument;
};

template <class Params>
std::vector<std::byte> ArgumentBytes(const Params& params) {
  static_assert(std::is_trivially_copyable_v<Params>);
  std::vector<std::byte> bytes(sizeof(Params));
  std::memcpy(bytes.data(), &params, sizeof(Params));
  return bytes;
}

// What the device says of itself between samples; zeros where it cannot say.
struct DeviceReading {
  Conditions conditions;
  int compute_processes = 0;  // with a context on the device, this one included; 0: unknown
};

struct DeviceSpan {
  DeviceAddress address = 0;
  std::int64_t bytes = 0;
};

// All sizes in bytes. Every operation but Free waits for what was launched before it.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;

  virtual Result<std::int64_t> FreeBytes() = 0;
  // Aligned to 256 bytes at least. ResourceExhausted: no room.
  virtual Result<DeviceAddress> Allocate(std::int64_t bytes) = 0;
  virtual void Free(DeviceAddress address) = 0;
  virtual Status Write(DeviceAddress to, std::span<const std::byte> from) = 0;
  virtual Status Read(std::span<std::byte> to, DeviceAddress from) = 0;
  virtual Status Set(DeviceAddress address, std::uint8_t value, std::int64_t bytes) = 0;
};

// Outlived by its device.
class LoadedModule {
 public:
  virtual ~LoadedModule() = default;

  // Ready to launch with that much dynamic shared memory. NotFound: no such entry.
  virtual Result<KernelHandle> GetKernel(const std::string& entry,
                                         std::uint32_t dynamic_smem_bytes) = 0;
};

struct ReplayTime {
  double device_ns = 0;  // between events around the launches
  double host_ns = 0;    // from the request to the answer; more by the wait for a shared device
};

// Launches that replay as one. Outlived by its device and by the modules of its kernels.
class LaunchGraph {
 public:
  virtual ~LaunchGraph() = default;

  // Replays and waits.
  virtual Result<ReplayTime> RunTimed() = 0;
};

// One device, one stream, one thread. A kernel's fault shows at the next call that waits; after a
// sticky error every call fails and the process should end.
class Device {
 public:
  virtual ~Device() = default;

  [[nodiscard]] virtual const DeviceSpec& Spec() const = 0;
  virtual DeviceMemory& Memory() = 0;
  virtual Result<std::unique_ptr<LoadedModule>> Load(const std::string& image) = 0;
  // Unavailable: the driver is too old for clusters, cooperative and programmatic launches.
  virtual Status Launch(const KernelCall& call) = 0;
  virtual Status Synchronize() = 0;
  // What `enqueue` launches, instead of running it. Its error is passed on.
  virtual Result<std::unique_ptr<LaunchGraph>> Capture(const std::function<Status()>& enqueue) = 0;
  virtual DeviceReading ReadConditions() = 0;
  // The vendor's library, ready for this problem; not while capturing. Unavailable: not installed.
  // Unimplemented: it does not compute this problem. Requires: normalised, not empty.
  virtual Result<std::unique_ptr<GemmLibrary>> OpenGemmLibrary(const GemmProblem& problem) = 0;
  // Zeros that exceed twice the L2, for whoever wants to fill it; none where there is no L2.
  virtual Result<DeviceSpan> Scratch() = 0;
  // The map of what lies at `address`; does not touch the device. InvalidArgument names the rule
  // that the recipe breaks (CheckTensorMap). Unavailable: the driver is too old.
  virtual Result<TensorMapBytes> EncodeTensorMap(const TensorMapRecipe& recipe,
                                                 DeviceAddress address) = 0;
  // Beside what is launched next, for which it does not wait. Synchronize waits for both.
  virtual Status LaunchBeside(const KernelCall& call) = 0;
  // Leaves the device idle for a while.
  virtual void Pause(std::chrono::nanoseconds duration) = 0;

  // The first sticky CUresult seen, 0 for none.
  [[nodiscard]] int sticky_error() const { return sticky_error_; }

 protected:
  void NoteError(int code);

 private:
  int sticky_error_ = 0;
};

}  // namespace tw
