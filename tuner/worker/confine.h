// What a worker process gives up at its start.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "codegen/core/status.h"

namespace tw {

// Both roles: dies with its parent, gains no privileges, dumps no core. Unavailable: the parent is
// gone already.
Status ConfineWorker(pid_t parent);

struct CompileLimits {
  int cpu_s = 60;                 // of one compilation
  std::int64_t memory_bytes = 0;  // address space; 0: no limit
};

// The compile role: a low priority (measurements come first), a bounded address space, and a
// working directory that is empty for ever, so that an #include finds no file beside it.
Status ConfineCompiler(const CompileLimits& limits);

// Allows this process `seconds` more of processor time; past them it dies of SIGXCPU.
Status AllowCpuSeconds(int seconds);

}  // namespace tw
