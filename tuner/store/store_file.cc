// SPDX-License-Identifier: Apache-2.0
#include "tuner/store/store_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace tw {
namespace {

Status IoError(std::string_view what, const std::filesystem::path& path) {
  const int error = errno;
  std::string message(what);
  message.append(" ").append(path.string()).append(": ");
  message.append(std::generic_category().message(error));
  const bool denied = error == EACCES || error == EPERM || error == EROFS;
  return {denied ? StatusCode::kPermissionDenied : StatusCode::kInternal, std::move(message)};
}

std::string ReadPid(int fd) {
  std::array<char, 32> buffer{};
  const ssize_t got = pread(fd, buffer.data(), buffer.size(), 0);
  std::string text(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  text = text.substr(0, text.find_first_not_of("0123456789"));
  return text.empty() ? "unknown" : text;
}

// The file format's header (https://www.sqlite.org/fileformat.html): 100 bytes, big-endian.
constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kUserVersionAt = 60;
constexpr std::size_t kApplicationIdAt = 68;

std::int64_t BigEndian32(std::string_view bytes, std::size_t at) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value * 256 + static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

Status CheckPermissions(const std::filesystem::path& database, const struct stat& info) {
  if (S_ISLNK(info.st_mode)) {
    return {StatusCode::kPermissionDenied,
            database.string() + " is a symbolic link: name the file itself"};
  }
  if (!S_ISREG(info.st_mode)) {
    return {StatusCode::kFailedPrecondition, database.string() + " is not a regular file"};
  }
  if (info.st_uid != geteuid()) {
    return {StatusCode::kPermissionDenied,
            database.string() + " belongs to user " + std::to_string(info.st_uid)};
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return {StatusCode::kPermissionDenied,
            database.string() + " is writable by others: chmod go-w it"};
  }
  return OkStatus();
}

}  // namespace

Result<StoreLock> StoreLock::Acquire(const std::filesystem::path& database) {
  const std::filesystem::path path = database.string() + ".lock";
  StoreLock lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.fd_ < 0) {
    return IoError("cannot open", path);
  }
  if (flock(lock.fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return IoError("cannot lock", path);
    }
    return Status(StatusCode::kUnavailable,
                  "store " + database.string() + " is in use by process " + ReadPid(lock.fd_));
  }
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(lock.fd_, 0) != 0 ||
      pwrite(lock.fd_, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return IoError("cannot write", path);
  }
  return lock;
}

StoreLock::StoreLock(StoreLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

StoreLock& StoreLock::operator=(StoreLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

StoreLock::~StoreLock() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

Status CreateStoreDirectory(const std::filesystem::path& directory) {
  if (directory.empty() || mkdir(directory.c_str(), 0700) == 0) {
    return OkStatus();
  }
  if (errno == ENOENT && directory.has_relative_path()) {
    TW_RETURN_IF_ERROR(CreateStoreDirectory(directory.parent_path()));
    if (mkdir(directory.c_str(), 0700) == 0) {
      return OkStatus();
    }
  }
  std::error_code ignored;
  if (errno == EEXIST && std::filesystem::is_directory(directory, ignored)) {
    return OkStatus();
  }
  return IoError("cannot create directory", directory);
}

Status CheckStoreFile(const std::filesystem::path& database, std::int64_t known_version) {
  struct stat info {};

  if (lstat(database.c_str(), &info) != 0) {
    return errno == ENOENT ? OkStatus() : IoError("cannot examine", database);
  }
  TW_RETURN_IF_ERROR(CheckPermissions(database, info));
  if (info.st_size == 0) {
    return OkStatus();
  }
  std::string header(kHeaderBytes, '\0');
  std::ifstream file(database, std::ios::binary);
  if (!file) {
    return IoError("cannot read", database);
  }
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  const bool whole = file.gcount() == static_cast<std::streamsize>(header.size());
  if (!whole || !header.starts_with(kMagic) ||
      BigEndian32(header, kApplicationIdAt) != kStoreApplicationId) {
    return {
        StatusCode::kFailedPrecondition,
        database.string() + " is not a Tilewright store: it was left untouched; name another file"};
  }
  const std::int64_t version = BigEndian32(header, kUserVersionAt);
  if (version > known_version) {
    return {StatusCode::kFailedPrecondition,
            database.string() + " has schema version " + std::to_string(version) +
                ", this program knows up to " + std::to_string(known_version) +
                ": it was left untouched; use a newer program"};
  }
  return OkStatus();
}

Status CreateStoreFile(const std::filesystem::path& database) {
  const int fd = open(database.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    return IoError("cannot create", database);
  }
  close(fd);
  return OkStatus();
}

}  // namespace tw
