// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "tuner/device/device.h"
#include "tuner/device/driver_api.h"

namespace tw {

// Turns a CUresult of a call that `what` names into a Status, and remembers sticky ones.
using CudaCheck = std::function<Status(std::string_view what, CuResult code)>;

// The current context's memory. Copies and sets go to the stream that kernels are launched in.
class CudaMemory final : public DeviceMemory {
 public:
  CudaMemory(const DriverApi& driver, CudaCheck check)
      : driver_(driver), check_(std::move(check)) {}

  // Before the first copy or set. The caller keeps the stream.
  void UseStream(CuStream stream) { stream_ = stream; }

  Result<std::int64_t> FreeBytes() override;
  Result<DeviceAddress> Allocate(std::int64_t bytes) override;
  void Free(DeviceAddress address) override;
  Status Write(DeviceAddress to, std::span<const std::byte> from) override;
  Status Read(std::span<std::byte> to, DeviceAddress from) override;
  Status Set(DeviceAddress address, std::uint8_t value, std::int64_t bytes) override;

 private:
  Status Finish();

  const DriverApi& driver_;
  CudaCheck check_;
  CuStream stream_ = nullptr;
};

}  // namespace tw
