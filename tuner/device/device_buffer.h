// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "tuner/device/device.h"

namespace tw {

// Device memory that is freed with its owner. Outlived by its device.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;

  static Result<DeviceBuffer> Allocate(DeviceMemory& memory, std::int64_t bytes) {
    TW_ASSIGN_OR_RETURN(DeviceAddress address, memory.Allocate(bytes));
    return DeviceBuffer(&memory, address, bytes);
  }

  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }

  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  ~DeviceBuffer() {
    if (memory_ != nullptr)
      memory_->Free(address_);
  }

  [[nodiscard]] DeviceAddress address() const { return address_; }

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  DeviceBuffer(DeviceMemory* memory, DeviceAddress address, std::int64_t bytes)
      : memory_(memory), address_(address), bytes_(bytes) {}

  DeviceMemory* memory_ = nullptr;
  DeviceAddress address_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace tw
