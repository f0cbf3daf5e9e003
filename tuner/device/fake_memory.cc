// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/fake_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace tw {
namespace {

constexpr DeviceAddress kAlignment = 512;
constexpr std::int64_t kSmallBytes = 32 << 10;  // results of kernels: always real

}  // namespace

Result<std::int64_t> FakeMemory::FreeBytes() {
  TW_RETURN_IF_ERROR(failure_());
  return capacity_ - used_;
}

Result<DeviceAddress> FakeMemory::Allocate(std::int64_t bytes) {
  TW_RETURN_IF_ERROR(failure_());
  if (bytes < 0 || bytes > capacity_ - used_) {
    return Status(
        StatusCode::kResourceExhausted,
        "cuMemAlloc of " + std::to_string(bytes) + " bytes: CUDA error 2 CUDA_ERROR_OUT_OF_MEMORY");
  }
  Block block;
  block.bytes = bytes;
  DeviceAddress address = next_virtual_;
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  if (virtual_ && bytes > kSmallBytes) {
    next_virtual_ += (size + kAlignment) / kAlignment * kAlignment;
  } else {
    // Not value-initialised: pages that nobody touches cost nothing.
    block.storage.reset(new std::byte[size + kAlignment]);
    const auto start = std::bit_cast<std::uintptr_t>(block.storage.get());
    address = (start + kAlignment - 1) / kAlignment * kAlignment;
    block.first = block.storage.get() + (address - start);
  }
  used_ += bytes;
  blocks_.emplace(address, std::move(block));
  return address;
}

void FakeMemory::Free(DeviceAddress address) {
  auto block = blocks_.find(address);
  if (block == blocks_.end())
    return;
  used_ -= block->second.bytes;
  blocks_.erase(block);
}

Result<std::byte*> FakeMemory::Resolve(DeviceAddress address, std::int64_t bytes) {
  TW_RETURN_IF_ERROR(failure_());
  auto after = blocks_.upper_bound(address);
  if (after != blocks_.begin()) {
    const auto& [start, block] = *std::prev(after);
    const auto offset = static_cast<std::int64_t>(address - start);
    if (bytes <= block.bytes - offset)
      return block.first == nullptr ? nullptr : block.first + offset;
  }
  return Status(StatusCode::kInvalidArgument, "CUDA error 1 CUDA_ERROR_INVALID_VALUE");
}

Status FakeMemory::Write(DeviceAddress to, std::span<const std::byte> from) {
  TW_ASSIGN_OR_RETURN(std::byte * host, Resolve(to, static_cast<std::int64_t>(from.size())));
  if (host != nullptr)
    std::memcpy(host, from.data(), from.size());
  return OkStatus();
}

Status FakeMemory::Read(std::span<std::byte> to, DeviceAddress from) {
  TW_ASSIGN_OR_RETURN(std::byte * host, Resolve(from, static_cast<std::int64_t>(to.size())));
  if (host != nullptr)
    std::memcpy(to.data(), host, to.size());
  else
    std::memset(to.data(), 0, to.size());
  return OkStatus();
}

Status FakeMemory::Set(DeviceAddress address, std::uint8_t value, std::int64_t bytes) {
  if (bytes <= 0)
    return failure_();
  TW_ASSIGN_OR_RETURN(std::byte * host, Resolve(address, bytes));
  if (host != nullptr)
    std::memset(host, value, static_cast<std::size_t>(bytes));
  return OkStatus();
}

}  // namespace tw
