// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/cuda_memory.h"

#include <algorithm>

namespace tw {

Result<std::int64_t> CudaMemory::FreeBytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  TW_RETURN_IF_ERROR(check_("cuMemGetInfo", driver_.memory_info(&free, &total)));
  return static_cast<std::int64_t>(free);
}

Result<DeviceAddress> CudaMemory::Allocate(std::int64_t bytes) {
  CuDevicePtr address = 0;
  // The driver refuses zero bytes.
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  TW_RETURN_IF_ERROR(check_("cuMemAlloc of " + std::to_string(bytes) + " bytes",
                            driver_.memory_allocate(&address, size)));
  return DeviceAddress{address};
}

void CudaMemory::Free(DeviceAddress address) {
  // Fails only where an earlier error is already on its way to the caller, or the context is gone.
  static_cast<void>(check_("cuMemFree", driver_.memory_free(address)));
}

Status CudaMemory::Write(DeviceAddress to, std::span<const std::byte> from) {
  TW_RETURN_IF_ERROR(
      check_("cuMemcpyHtoDAsync", driver_.copy_to_device(to, from.data(), from.size(), stream_)));
  return Finish();
}

Status CudaMemory::Read(std::span<std::byte> to, DeviceAddress from) {
  TW_RETURN_IF_ERROR(
      check_("cuMemcpyDtoHAsync", driver_.copy_to_host(to.data(), from, to.size(), stream_)));
  return Finish();
}

Status CudaMemory::Set(DeviceAddress address, std::uint8_t value, std::int64_t bytes) {
  if (bytes <= 0)
    return OkStatus();
  return check_("cuMemsetD8Async",
                driver_.set_bytes(address, value, static_cast<std::size_t>(bytes), stream_));
}

Status CudaMemory::Finish() {
  return check_("cuStreamSynchronize", driver_.stream_synchronize(stream_));
}

}  // namespace tw
