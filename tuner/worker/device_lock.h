// The host-wide lock of a GPU: one session at a time measures on it, of whatever daemon.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "codegen/core/status.h"

namespace tw {

// Held while it lives; the kernel lets it go with the process.
class DeviceLock {
 public:
  // Waits for DIR/tilewright-gpu-UUID.lock. Daemons of different users share it, so the file is
  // readable by all and never removed. Cancelled: `stop` was requested. Unavailable: the file
  // cannot be opened, or something else stands in its place.
  static Result<std::unique_ptr<DeviceLock>> Acquire(const std::string& directory,
                                                     std::string_view uuid,
                                                     const std::stop_token& stop);

  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

 private:
  explicit DeviceLock(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace tw
