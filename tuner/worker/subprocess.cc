#include "tuner/worker/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

namespace tw {
namespace {

constexpr int kChildSocket = 3;
constexpr timeval kSendLimit{.tv_sec = 10, .tv_usec = 0};
constexpr std::chrono::milliseconds kReapLimit{10'000};

// glibc declares neither in a way that C++ can link to before 2.37.
int PidfdOpen(pid_t pid) {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}

void PidfdKill(int pidfd) {
  // Fails only when the process has ended, which is what is wanted.
  syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0);
}

Status CannotStart(const std::string& file, int error) {
  return {StatusCode::kUnavailable,
          "cannot start " + file + ": " + std::generic_category().message(error)};
}

// What posix_spawn is told: descriptors, signals, process group.
class SpawnSetup {
 public:
  explicit SpawnSetup(int child_socket) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    // Also right where child_socket is 3 already: dup2 onto itself clears close-on-exec.
    posix_spawn_file_actions_adddup2(&actions_, child_socket, kChildSocket);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions_, kChildSocket + 1);

    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }

  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }

  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::string_view NameOf(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

// The inherited environment with `overrides` in place of the variables of the same name.
std::vector<std::string> Environment(const std::vector<std::string>& overrides) {
  std::vector<std::string> result = overrides;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    bool overridden = false;
    for (const std::string& assignment : overrides)
      overridden = overridden || NameOf(assignment) == NameOf(*variable);
    if (!overridden)
      result.emplace_back(*variable);
  }
  return result;
}

// Null-terminated, for exec. The strings must outlive it.
std::vector<char*> Pointers(std::vector<std::string>* strings) {
  std::vector<char*> pointers;
  for (std::string& text : *strings)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// 0 or an errno.
int Spawn(const SubprocessOptions& options, int child_socket, pid_t* pid) {
  const SpawnSetup setup(child_socket);
  std::vector<std::string> args = {options.file};
  args.insert(args.end(), options.args.begin(), options.args.end());
  args.push_back("--fd=" + std::to_string(kChildSocket));
  args.push_back("--parent-pid=" + std::to_string(getpid()));
  std::vector<std::string> environment = Environment(options.environment);
  return posix_spawn(pid, options.file.c_str(), setup.actions(), setup.attributes(),
                     Pointers(&args).data(), Pointers(&environment).data());
}

}  // namespace

std::string Text(const ExitState& state) {
  if (state.signal == 0)
    return "exited with code " + std::to_string(state.exit_code);
  const char* name = sigabbrev_np(state.signal);
  return "killed by signal " + std::to_string(state.signal) + " (" +
         (name == nullptr ? "?" : name) + ")";
}

Result<std::unique_ptr<Subprocess>> Subprocess::Start(const SubprocessOptions& options) {
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    return CannotStart(options.file, errno);
  pid_t pid = 0;
  const int error = Spawn(options, pair[1], &pid);
  close(pair[1]);
  if (error != 0) {
    close(pair[0]);
    return CannotStart(options.file, error);
  }
  // Not reaped yet, so the number is still this child's even if it has ended.
  const int pidfd = PidfdOpen(pid);
  const int pidfd_error = errno;
  if (pidfd < 0) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    close(pair[0]);
    return CannotStart(options.file, pidfd_error);
  }
  // A child that does not read must not block its parent for ever. Cannot fail on a socket.
  setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &kSendLimit, sizeof kSendLimit);
  return std::unique_ptr<Subprocess>(new Subprocess(pid, pidfd, pair[0]));
}

Subprocess::~Subprocess() {
  Kill();
  Wait(kReapLimit);
  close(socket_);
  close(pidfd_);
}

void Subprocess::Kill() {
  // By descriptor, so that it never hits a process that got the number later.
  PidfdKill(pidfd_);
}

std::optional<ExitState> Subprocess::Wait(std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!state_) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd wait{.fd = pidfd_, .events = POLLIN, .revents = 0};
    const int ready =
        poll(&wait, 1, static_cast<int>(std::max(left, std::chrono::milliseconds(0)).count()));
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0)
      return std::nullopt;
    siginfo_t info{};
    if (waitid(P_PIDFD, static_cast<id_t>(pidfd_), &info, WEXITED) != 0)
      return std::nullopt;
    state_ = info.si_code == CLD_EXITED ? ExitState{.signal = 0, .exit_code = info.si_status}
                                        : ExitState{.signal = info.si_status, .exit_code = 0};
  }
  return state_;
}

}  // namespace tw
