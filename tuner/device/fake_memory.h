// Device memory in host memory. An address is the host's own, so that fake kernels can follow it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>

#include "tuner/device/device.h"

namespace tw {

class FakeMemory final : public DeviceMemory {
 public:
  // `failure` is asked before every operation: what a sticky error makes of it.
  FakeMemory(std::int64_t capacity, std::function<Status()> failure)
      : capacity_(capacity), failure_(std::move(failure)) {}

  // Large blocks allocated from now on have no bytes behind them: reads give 0, writes are dropped.
  void SetVirtual(bool is_virtual) { virtual_ = is_virtual; }

  Result<std::int64_t> FreeBytes() override;
  Result<DeviceAddress> Allocate(std::int64_t bytes) override;
  void Free(DeviceAddress address) override;
  Status Write(DeviceAddress to, std::span<const std::byte> from) override;
  Status Read(std::span<std::byte> to, DeviceAddress from) override;
  Status Set(DeviceAddress address, std::uint8_t value, std::int64_t bytes) override;

 private:
  struct Block {
    std::int64_t bytes = 0;
    std::unique_ptr<std::byte[]> storage;  // null: virtual
    std::byte* first = nullptr;            // aligned
  };

  // The host's bytes at `address`; nullptr inside a virtual block. InvalidArgument: not allocated.
  Result<std::byte*> Resolve(DeviceAddress address, std::int64_t bytes);

  std::int64_t capacity_;
  std::function<Status()> failure_;
  bool virtual_ = false;
  std::int64_t used_ = 0;
  DeviceAddress next_virtual_ = DeviceAddress{1} << 60U;
  std::map<DeviceAddress, Block> blocks_;
};

}  // namespace tw
