// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/guarded_buffer.h"

#include "tuner/measure/memory_plan.h"

namespace tw {

Result<GuardedBuffer> GuardedBuffer::Make(DeviceMemory& memory,
                                          std::int64_t payload_bytes,
                                          std::int64_t align_bytes,
                                          std::uint8_t poison) {
  GuardedBuffer result;
  result.memory_ = &memory;
  result.payload_bytes_ = payload_bytes;
  result.poison_ = poison;
  TW_ASSIGN_OR_RETURN(result.buffer_,
                      DeviceBuffer::Allocate(memory, GuardedBytes(payload_bytes, align_bytes)));
  const auto align = static_cast<DeviceAddress>(align_bytes);
  const DeviceAddress first = result.buffer_.address() + static_cast<DeviceAddress>(kGuardBytes);
  if (align_bytes < kBufferAlignment) {
    const auto step = static_cast<DeviceAddress>(kBufferAlignment);
    result.data_ = (first + step - 1) / step * step + align;
  } else {
    result.data_ = (first + align - 1) / align * align;
  }
  TW_RETURN_IF_ERROR(result.Poison());
  return result;
}

Status GuardedBuffer::Poison() {
  return memory_->Set(buffer_.address(), poison_, buffer_.bytes());
}

}  // namespace tw
