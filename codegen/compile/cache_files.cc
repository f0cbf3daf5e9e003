#include "codegen/compile/cache_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>

namespace tw {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryPrefix = ".tmp-";
constexpr off_t kMaxFileBytes = off_t{256} << 20;

Status ErrnoStatus(const std::string& what, const fs::path& file, int error) {
  StatusCode code = StatusCode::kInternal;
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    code = StatusCode::kResourceExhausted;
  else if (error == EACCES || error == EPERM || error == EROFS)
    code = StatusCode::kPermissionDenied;
  return {code, "artefact cache: " + what + " " + file.string() + ": " +
                    std::generic_category().message(error)};
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  ~Descriptor() {
    if (fd_ >= 0)
      close(fd_);
  }

  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool ReadAll(int fd, std::string* bytes) {
  std::size_t done = 0;
  while (done < bytes->size()) {
    const ssize_t got = read(fd, bytes->data() + done, bytes->size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

// A rename survives a power loss only once its directory is on disk.
Status SyncDirectory(const fs::path& directory) {
  const Descriptor fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0 || fsync(fd.get()) != 0)
    return ErrnoStatus("sync", directory, errno);
  return OkStatus();
}

Status MakeMissing(const fs::path& directory) {
  if (directory.empty() || fs::exists(fs::symlink_status(directory)))
    return OkStatus();
  TW_RETURN_IF_ERROR(MakeMissing(directory.parent_path()));
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return ErrnoStatus("create", directory, errno);
  return OkStatus();
}

}  // namespace

Status MakePrivateDirectory(const fs::path& directory) {
  TW_RETURN_IF_ERROR(MakeMissing(directory));
  const auto refuse = [&](std::string_view why) {
    return Status(
        StatusCode::kPermissionDenied,
        "artefact cache: " + directory.string() + " " + std::string(why) +
            "; it holds code that will be run: use a directory of your own with mode 0700");
  };

  struct stat info {};

  if (lstat(directory.c_str(), &info) != 0)
    return ErrnoStatus("look at", directory, errno);
  if (S_ISLNK(info.st_mode))
    return refuse("is a symbolic link");
  if (!S_ISDIR(info.st_mode))
    return refuse("is not a directory");
  if (info.st_uid != geteuid())
    return refuse("belongs to another user");
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return refuse("can be written to by others");
  return OkStatus();
}

std::optional<std::string> ReadWholeFile(const fs::path& file) {
  const Descriptor fd(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));

  struct stat info {};

  if (fd.get() < 0 || fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size > kMaxFileBytes)
    return std::nullopt;
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  if (!ReadAll(fd.get(), &bytes))
    return std::nullopt;
  return bytes;
}

Status WriteFileAtomically(const fs::path& file, std::string_view bytes, Durability durability) {
  std::string temporary = file.parent_path() / (std::string(kTemporaryPrefix) + "XXXXXX");
  const Descriptor fd(mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600
  if (fd.get() < 0)
    return ErrnoStatus("create a file in", file.parent_path(), errno);
  const bool sync = durability == Durability::kSynced;
  const bool ok = WriteAll(fd.get(), bytes) && (!sync || fsync(fd.get()) == 0) &&
                  rename(temporary.c_str(), file.c_str()) == 0;
  if (!ok) {
    const int error = errno;
    unlink(temporary.c_str());
    return ErrnoStatus("write", file, error);
  }
  return sync ? SyncDirectory(file.parent_path()) : OkStatus();
}

void RemoveStaleTemporaries(const fs::path& directory) {
  std::error_code ignored;  // tidying up: what cannot be removed stays
  for (fs::recursive_directory_iterator it(directory, ignored), end; it != end;
       it.increment(ignored)) {
    const bool temporary = it->path().filename().string().starts_with(kTemporaryPrefix);
    if (!temporary)
      continue;
    const auto written = fs::last_write_time(it->path(), ignored);
    if (!ignored && fs::file_time_type::clock::now() - written > std::chrono::hours(1))
      fs::remove(it->path(), ignored);
  }
}

}  // namespace tw
