#include "tuner/worker/device_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>

namespace tw {
namespace {

// flock cannot be waited for with a stop token, so it is tried at this interval.
constexpr std::chrono::milliseconds kRetry{50};

std::string FileName(const std::string& directory, std::string_view uuid) {
  std::string name(uuid);
  for (char& c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!plain)
      c = '-';
  }
  return directory + "/tilewright-gpu-" + name + ".lock";
}

// An existing file is opened without O_CREAT: with it the kernel refuses another user's file in a
// directory like /tmp (fs.protected_regular).
int OpenLockFile(const std::string& file) {
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  const int existing = open(file.c_str(), kFlags);
  if (existing >= 0 || errno != ENOENT)
    return existing;
  const int created = open(file.c_str(), kFlags | O_CREAT | O_EXCL, 0644);
  if (created < 0 && errno == EEXIST)
    return open(file.c_str(), kFlags);
  if (created >= 0)
    fchmod(created, 0644);  // whatever the umask is; if refused, other users are told EACCES
  return created;
}

}  // namespace

Result<std::unique_ptr<DeviceLock>> DeviceLock::Acquire(const std::string& directory,
                                                        std::string_view uuid,
                                                        const std::stop_token& stop) {
  const std::string file = FileName(directory, uuid);
  const auto unavailable = [&](const std::string& why) {
    return Status(StatusCode::kUnavailable, "GPU lock " + file + ": " + why);
  };
  const int fd = OpenLockFile(file);
  if (fd < 0)
    return unavailable(std::generic_category().message(errno));
  std::unique_ptr<DeviceLock> lock(new DeviceLock(fd));

  struct stat info {};

  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
    return unavailable("not a regular file");

  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock guard(mutex);
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return unavailable(std::generic_category().message(errno));
    never.wait_for(guard, stop, kRetry, [] { return false; });
    if (stop.stop_requested())
      return Status(StatusCode::kCancelled, "stopped while waiting for the GPU");
  }
  return lock;
}

DeviceLock::~DeviceLock() {
  close(fd_);
}

}  // namespace tw
