// The loaded support module (templates/support.cu.in): launches the judging kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <memory>
#include <string>

#include "codegen/core/candidate.h"
#include "tuner/device/device.h"
#include "tuner/measure/inputs.h"

namespace tw {

// Outlived by its device. Launches are asynchronous; pointers in the parameters are device
// addresses.
class SupportKernels {
 public:
  static Result<SupportKernels> Load(Device& device, const CompiledKernel& support);

  Status Fill(Part part, const FillParams& params);
  Status ComputeReference(const ReferenceParams& params);
  Status Compare(const CompareParams& params);
  Status CheckGuard(const GuardParams& params);
  Status Scan(const ScanParams& params);
  Status HashLines(const HashParams& params);
  // Every byte of the device's shared memory takes the poison.
  Status ScrubShared(std::uint8_t poison);
  // Reads all of `data`, so that the caches hold little else.
  Status EvictCaches(const DeviceSpan& data);
  // Keeps half of the device's SMs reading `data` beside what is launched next, for about a
  // millisecond.
  Status StartTraffic(const DeviceSpan& data);
  // C and bias go as D, whose type they have.
  Status SumRows(Part part, const SumParams& params);

 private:
  SupportKernels(Device& device, std::unique_ptr<LoadedModule> module)
      : device_(&device), module_(std::move(module)) {}

  [[nodiscard]] KernelHandle FillOf(Part part) const;

  Status Bind(const char* entry, KernelHandle& handle, std::int64_t smem_bytes = 0);

  // Enough blocks for `items`, one a thread, but no more than keep the device busy.
  [[nodiscard]] std::uint32_t BlocksFor(std::int64_t items) const;

  template <class Params>
  Status Launch(KernelHandle kernel, std::uint32_t blocks, const Params& params);

  Device* device_;
  std::unique_ptr<LoadedModule> module_;
  KernelHandle fill_a_, fill_b_, fill_c_, fill_bias_, fill_scale_, reference_, compare_, guard_,
      scan_, hash_, scrub_, traffic_, sum_a_, sum_b_, sum_d_;
};

template <class T>
T* DevicePointer(DeviceAddress address) {
  static_assert(sizeof(T*) == sizeof(DeviceAddress));
  return std::bit_cast<T*>(address);  // an address of the device, never followed on the host
}

}  // namespace tw
