// The store's file before SQLite touches it: identity, permissions, and the lock that keeps a
// second daemon out. Internal to the store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "codegen/core/status.h"

namespace tw {

inline constexpr std::int64_t kStoreApplicationId = 0x54575254;  // "TWRT"

// A held lock on PATH.lock, with the holder's pid in it. The kernel frees it when the process
// ends, however it ends. The file stays: removing it would let two holders lock two files.
class StoreLock {
 public:
  // Unavailable names the process that holds it.
  static Result<StoreLock> Acquire(const std::filesystem::path& database);

  StoreLock(StoreLock&& other) noexcept;
  StoreLock& operator=(StoreLock&& other) noexcept;
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;
  ~StoreLock();

 private:
  explicit StoreLock(int fd) : fd_(fd) {}

  int fd_;
};

// Creates what is missing of `directory`, mode 0700.
Status CreateStoreDirectory(const std::filesystem::path& directory);

// Reads the first bytes only. FailedPrecondition: another program's file, or one of a newer
// version than `known_version`; it is left untouched. A missing or empty file is fine.
// PermissionDenied: a symbolic link, another user's, or writable by group or others.
Status CheckStoreFile(const std::filesystem::path& database, std::int64_t known_version);

// Creates an empty file of mode 0600 unless there is one.
Status CreateStoreFile(const std::filesystem::path& database);

}  // namespace tw
