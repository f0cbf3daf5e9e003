// A compiler whose answers are scripted. Thread-safe as the seam asks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "codegen/compile/compiler.h"

namespace tw::fakes {

class FakeCompiler final : public Compiler {
 public:
  using Script = std::function<Result<CompiledKernel>(const KernelSource&)>;

  explicit FakeCompiler(int parallelism = 1, Script script = &Succeed)
      : parallelism_(parallelism), script_(std::move(script)) {}

  // One entry, named as the source says, 64 registers, no spills, a tenth of a second.
  static Result<CompiledKernel> Succeed(const KernelSource& source) {
    EntryResources entry;
    entry.entry = source.entry;
    entry.registers = 64;
    CompiledKernel kernel;
    kernel.arch = source.arch;
    kernel.cubin = "cubin of " + source.entry;
    kernel.entries = {std::move(entry)};
    kernel.compiler = "fake 1.0";
    kernel.compile_seconds = 0.1;
    return kernel;
  }

  // Requires: nothing is being compiled.
  void SetScript(Script script) { script_ = std::move(script); }

  Result<CompiledKernel> Compile(const KernelSource& source, std::stop_token stop) override {
    {
      const std::lock_guard lock(mutex_);
      compiled_.push_back(source.entry);
    }
    if (stop.stop_requested()) {
      return Status(StatusCode::kCancelled, "cancelled");
    }
    return script_(source);
  }

  [[nodiscard]] int Parallelism() const override { return parallelism_; }

  // Entries in the order in which they were asked for.
  [[nodiscard]] std::vector<std::string> asked() const {
    const std::lock_guard lock(mutex_);
    return compiled_;
  }

  [[nodiscard]] int TimesAsked(const std::string& entry) const {
    const std::vector<std::string> all = asked();
    return static_cast<int>(std::count(all.begin(), all.end(), entry));
  }

 private:
  const int parallelism_;
  Script script_;
  mutable std::mutex mutex_;
  std::vector<std::string> compiled_;
};

}  // namespace tw::fakes
