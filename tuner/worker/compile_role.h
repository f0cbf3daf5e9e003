// The compile role of a worker process: one kernel at a time until the socket's other end closes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "codegen/compile/nvrtc_api.h"
#include "codegen/core/status.h"
#include "tuner/worker/confine.h"

namespace tw {

struct CompileRoleOptions {
  NvrtcSearch nvrtc;
  CompileLimits limits;
  std::string fake;  // tests: a behaviour in place of the compiler; see fake_compiler.h
};

// Ok: the other end closed. Without a compiler every request is answered with Unavailable.
Status RunCompileRole(int fd, const CompileRoleOptions& options);

}  // namespace tw
