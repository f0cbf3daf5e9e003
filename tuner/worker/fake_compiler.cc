#include "tuner/worker/fake_compiler.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace tw {
namespace {

constexpr std::string_view kCrashOnce = "crash-once:";

[[noreturn]] void Hang() {
  for (;;)
    pause();
}

[[noreturn]] void Spin() {
  for (std::atomic<unsigned> n = 0;;)
    n.fetch_add(1, std::memory_order_relaxed);
}

[[noreturn]] void EatMemory() {
  // bad_alloc ends the process, as it would in a compiler that does not expect it.
  for (std::vector<std::vector<char>> blocks;;)
    blocks.emplace_back().reserve(std::size_t{64} << 20);  // address space, never touched
}

void Send(int fd, std::string_view bytes) {
  // The other end kills this process for it: nothing to do about an error.
  static_cast<void>(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

class FakeCompiler final : public Compiler {
 public:
  FakeCompiler(std::string behaviour, int fd) : behaviour_(std::move(behaviour)), fd_(fd) {}

  Result<CompiledKernel> Compile(const KernelSource& source, std::stop_token /*stop*/) override {
    Misbehave();
    CompiledKernel kernel;
    kernel.arch = source.arch;
    kernel.cubin = "cubin of " + source.entry + " by " + std::to_string(getpid());
    kernel.compiler = "fake 1.0";
    kernel.compile_seconds = 0.001;
    return kernel;
  }

  [[nodiscard]] int Parallelism() const override { return 1; }

 private:
  void Misbehave() const {
    if (behaviour_ == "hang")
      Hang();
    if (behaviour_ == "spin")
      Spin();
    if (behaviour_ == "memory")
      EatMemory();
    if (behaviour_ == "crash" || (behaviour_.starts_with(kCrashOnce) && FirstTime()))
      std::abort();
    if (behaviour_ == "half") {
      Send(fd_, std::string_view("\x10\0\0\0half", 8));
      std::_Exit(7);
    }
    if (behaviour_ == "garbage")
      Send(fd_, std::string_view("\x04\0\0\0\xff\xff\xff\xff", 8));
    if (behaviour_ == "oversized")
      Send(fd_, "\xff\xff\xff\xff");
  }

  [[nodiscard]] bool FirstTime() const {
    const std::string file = behaviour_.substr(kCrashOnce.size());
    const int fd = open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0)
      close(fd);
    return fd >= 0;
  }

  std::string behaviour_;
  int fd_;
};

}  // namespace

std::unique_ptr<Compiler> MakeFakeCompiler(std::string behaviour, int fd) {
  return std::make_unique<FakeCompiler>(std::move(behaviour), fd);
}

}  // namespace tw
