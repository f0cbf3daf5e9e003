#include "tuner/worker/confine.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace tw {
namespace {

constexpr int kNice = 10;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // terabytes of address space are reserved for shadow memory
#else
constexpr bool kSanitized = false;
#endif

Status Failed(const std::string& what) {
  return {StatusCode::kInternal, what + ": " + std::generic_category().message(errno)};
}

Status Limit(__rlimit_resource resource, rlim_t soft, const std::string& name) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0)
    return Failed("getrlimit " + name);
  limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
  if (setrlimit(resource, &limit) != 0)
    return Failed("setrlimit " + name);
  return OkStatus();
}

// A directory that is removed while it is the working directory: nothing can appear in it.
Status EnterEmptyDirectory() {
  std::string directory = "/tmp/tilewright-compile-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr)
    return Failed("make " + directory);
  const bool entered = chdir(directory.c_str()) == 0;
  const int error = errno;
  rmdir(directory.c_str());
  errno = error;
  return entered ? OkStatus() : Failed("enter " + directory);
}

}  // namespace

Status ConfineWorker(pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
    return Failed("prctl PR_SET_PDEATHSIG");
  // It may have died before the line above.
  if (getppid() != parent)
    return {StatusCode::kUnavailable, "parent " + std::to_string(parent) + " is gone"};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return Failed("prctl PR_SET_NO_NEW_PRIVS");
  return Limit(RLIMIT_CORE, 0, "RLIMIT_CORE");
}

Status ConfineCompiler(const CompileLimits& limits) {
  if (setpriority(PRIO_PROCESS, 0, kNice) != 0)
    return Failed("setpriority");
  if (limits.memory_bytes > 0 && !kSanitized) {
    TW_RETURN_IF_ERROR(Limit(RLIMIT_AS, static_cast<rlim_t>(limits.memory_bytes), "RLIMIT_AS"));
  }
  return EnterEmptyDirectory();
}

Status AllowCpuSeconds(int seconds) {
  rusage used{};
  if (getrusage(RUSAGE_SELF, &used) != 0)
    return Failed("getrusage");
  const auto micros = used.ru_utime.tv_usec + used.ru_stime.tv_usec;
  const auto spent = used.ru_utime.tv_sec + used.ru_stime.tv_sec + (micros + 999'999) / 1'000'000;
  return Limit(RLIMIT_CPU, static_cast<rlim_t>(spent + seconds), "RLIMIT_CPU");
}

}  // namespace tw
