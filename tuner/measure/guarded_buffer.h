// A judged buffer: poison before and after, and no better aligned than promised.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tuner/device/device_buffer.h"

namespace tw {

class GuardedBuffer {
 public:
  GuardedBuffer() = default;

  // The payload starts at a multiple of align_bytes that, below 256, is no multiple of twice that:
  // a kernel that assumes more faults or is wrong. Every byte holds `poison`.
  static Result<GuardedBuffer> Make(DeviceMemory& memory,
                                    std::int64_t payload_bytes,
                                    std::int64_t align_bytes,
                                    std::uint8_t poison);

  // Sets every byte, guards and payload, back to the poison.
  Status Poison();

  [[nodiscard]] DeviceAddress data() const { return data_; }

  [[nodiscard]] std::int64_t payload_bytes() const { return payload_bytes_; }

  [[nodiscard]] std::uint8_t poison() const { return poison_; }

  // Bytes of poison before the payload and after it.
  [[nodiscard]] std::int64_t front_bytes() const {
    return static_cast<std::int64_t>(data_ - buffer_.address());
  }

  [[nodiscard]] std::int64_t back_bytes() const {
    return buffer_.bytes() - front_bytes() - payload_bytes_;
  }

 private:
  DeviceMemory* memory_ = nullptr;
  DeviceBuffer buffer_;
  DeviceAddress data_ = 0;
  std::int64_t payload_bytes_ = 0;
  std::uint8_t poison_ = 0;
};

}  // namespace tw
