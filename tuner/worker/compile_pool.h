// Compiler over disposable tilewright-worker --role=compile children.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codegen/compile/compiler.h"

namespace tw {

struct CompilePoolOptions {
  std::string worker_path;              // tilewright-worker
  std::vector<std::string> extra_args;  // tests: fake behaviour
  int children = 1;
  std::chrono::milliseconds wall_limit{90'000};  // per kernel
  int cpu_limit_s = 60;                          // RLIMIT_CPU per kernel's child
  std::int64_t memory_limit_bytes = 8LL << 30;   // RLIMIT_AS
};

class CompilePool final : public Compiler {
 public:
  explicit CompilePool(CompilePoolOptions options);
  ~CompilePool() override;

  Result<CompiledKernel> Compile(const KernelSource& source, std::stop_token stop) override;
  [[nodiscard]] int Parallelism() const override;

  // "nvrtc 13.0". Unavailable: why no compiler can be loaded.
  Result<std::string> Version();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tw
