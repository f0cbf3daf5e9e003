// Compiler seam: CUDA source in, machine code and its resources out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "codegen/core/candidate.h"
#include "codegen/core/status.h"

namespace tw {

class Compiler {
 public:
  virtual ~Compiler() = default;

  // Thread-safe; blocks. InvalidArgument: the compiler rejected the source (message = its log,
  // at most 8 KiB). DeadlineExceeded: killed at its limit. Unavailable: no compiler can be
  // loaded, or none for this architecture. Cancelled: `stop` was requested.
  virtual Result<CompiledKernel> Compile(const KernelSource& source, std::stop_token stop) = 0;

  // How many calls make sense at once.
  [[nodiscard]] virtual int Parallelism() const = 0;
};

}  // namespace tw
