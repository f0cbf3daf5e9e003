#include "tuner/worker/compile_pool.h"

#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "tuner/worker/convert.h"
#include "tuner/worker/spawner.h"
#include "tuner/worker/worker_client.h"

namespace tw {
namespace {

// NVRTC grows a little with every compilation; a new child costs some 30 ms.
constexpr int kCallsPerChild = 200;
constexpr int kAttempts = 2;
constexpr std::chrono::milliseconds kDescribeLimit{30'000};  // loads a library of 100 MB

std::string Seconds(std::chrono::milliseconds duration) {
  const std::string text = std::to_string(static_cast<double>(duration.count()) / 1000);
  return text.substr(0, text.find('.') + 2) + " s";
}

std::vector<std::string> ChildArgs(const CompilePoolOptions& options) {
  std::vector<std::string> args = {"--role=compile",
                                   "--cpu-limit=" + std::to_string(options.cpu_limit_s),
                                   "--memory-limit=" + std::to_string(options.memory_limit_bytes)};
  args.insert(args.end(), options.extra_args.begin(), options.extra_args.end());
  return args;
}

// What one attempt came to; `retry`: a fresh child may do better.
struct Attempt {
  Result<wire::Reply> reply;
  bool retry = false;
};

}  // namespace

class CompilePool::Impl {
 public:
  explicit Impl(CompilePoolOptions options) : options_(std::move(options)) {
    options_.children = std::max(1, options_.children);
    free_ = options_.children;
  }

  [[nodiscard]] const CompilePoolOptions& options() const { return options_; }

  // Waits for a child and asks it, twice at most.
  Result<wire::Reply> Ask(const wire::Request& request,
                          std::chrono::milliseconds limit,
                          const std::stop_token& stop) {
    TW_RETURN_IF_ERROR(Acquire(stop));
    Attempt attempt = Try(request, limit, stop);
    for (int i = 1; i < kAttempts && attempt.retry; ++i)
      attempt = Try(request, limit, stop);
    Release();
    return std::move(attempt.reply);
  }

 private:
  Status Acquire(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return free_ > 0; }))
      return {StatusCode::kCancelled, "stopped while waiting for a compiler process"};
    --free_;
    return OkStatus();
  }

  void Release() {
    {
      const std::lock_guard lock(mutex_);
      ++free_;
    }
    changed_.notify_one();
  }

  // An idle child, or a new one.
  Result<std::unique_ptr<WorkerClient>> Child() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<WorkerClient> child = std::move(idle_.back());
        idle_.pop_back();
        return child;
      }
    }
    TW_ASSIGN_OR_RETURN(
        std::unique_ptr<Subprocess> process,
        spawner_.Start(
            {.file = options_.worker_path, .args = ChildArgs(options_), .environment = {}}));
    return std::make_unique<WorkerClient>(std::move(process));
  }

  // Only a child that did what it was asked to is used again.
  Attempt Try(const wire::Request& request,
              std::chrono::milliseconds limit,
              const std::stop_token& stop) {
    Result<std::unique_ptr<WorkerClient>> child = Child();
    if (!child.ok())
      return {.reply = child.status(), .retry = false};
    Result<wire::Reply> reply = (*child)->Call(request, limit, stop);
    if (!reply.ok())
      return Failed(**child, reply.status(), limit);
    const Status status = StatusOf(*reply);
    if (status.ok()) {
      Return(*std::move(child));
      return {.reply = std::move(reply), .retry = false};
    }
    const bool own_fault =
        status.code() == StatusCode::kInternal || status.code() == StatusCode::kResourceExhausted;
    return {.reply = status, .retry = own_fault};
  }

  void Return(std::unique_ptr<WorkerClient> child) {
    if (child->calls() >= kCallsPerChild)
      return;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(child));
  }

  // The child is dead.
  [[nodiscard]] Attempt Failed(const WorkerClient& child,
                               const Status& status,
                               std::chrono::milliseconds limit) const {
    switch (status.code()) {
      case StatusCode::kCancelled:
        return {.reply = Status(StatusCode::kCancelled, "compilation stopped"), .retry = false};
      case StatusCode::kDeadlineExceeded:
        return {.reply = Status(StatusCode::kDeadlineExceeded,
                                "compiler killed: not done after " + Seconds(limit)),
                .retry = false};
      default:
        break;
    }
    if (child.exit_state() && child.exit_state()->signal == SIGXCPU) {
      return {.reply = Status(StatusCode::kDeadlineExceeded,
                              "compiler killed: used more than " +
                                  std::to_string(options_.cpu_limit_s) + " s of processor time"),
              .retry = false};
    }
    return {.reply = Status(StatusCode::kInternal, "compiler died twice: " + status.message()),
            .retry = true};
  }

  CompilePoolOptions options_;
  Spawner spawner_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  int free_ = 1;                                     // how many more may work
  std::vector<std::unique_ptr<WorkerClient>> idle_;  // after spawner_: end before it
};

CompilePool::CompilePool(CompilePoolOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

CompilePool::~CompilePool() = default;

Result<CompiledKernel> CompilePool::Compile(const KernelSource& source, std::stop_token stop) {
  wire::Request request;
  *request.mutable_compile()->mutable_source() = ToProto(source);
  const Result<wire::Reply> reply = impl_->Ask(request, impl_->options().wall_limit, stop);
  if (!reply.ok())
    return reply.status();
  if (!reply->has_compile())
    return Status(StatusCode::kInternal, source.entry + ": the compiler's reply holds no kernel");
  return FromProto(reply->compile().kernel());
}

int CompilePool::Parallelism() const {
  return impl_->options().children;
}

Result<std::string> CompilePool::Version() {
  wire::Request request;
  request.mutable_describe_compiler();
  const Result<wire::Reply> reply = impl_->Ask(request, kDescribeLimit, {});
  if (!reply.ok())
    return reply.status();
  return reply->describe_compiler().compiler();
}

}  // namespace tw
