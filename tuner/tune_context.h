// What every phase of one tune shares. Internal to the tuner.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <span>
#include <stop_token>

#include "codegen/families/family.h"
#include "codegen/source_builder.h"
#include "tuner/tuner.h"

namespace tw {

// Lives on Tune's stack, as do the things it refers to.
struct TuneContext {
  const TunerDeps& deps;
  const TuneSpec& spec;
  std::span<const KernelFamily* const> families;
  std::stop_token stop;
  std::chrono::nanoseconds start{};

  // Below 0 where the budget is over.
  [[nodiscard]] double SecondsLeft() const {
    return std::chrono::duration<double>(spec.options.budget - (deps.clock.Now() - start)).count();
  }

  // Requires: `config` comes from the space of `families`.
  [[nodiscard]] const KernelFamily& FamilyOf(const KernelConfig& config) const;

  // Thread-safe.
  [[nodiscard]] Result<KernelSource> Source(const KernelConfig& config) const;
  [[nodiscard]] LaunchPlan Launch(const KernelConfig& config) const;
  [[nodiscard]] Result<CompiledKernel> Compile(const KernelConfig& config) const;
};

inline Status CancelledStatus() {
  return {StatusCode::kCancelled, "the tune was cancelled"};
}

}  // namespace tw
