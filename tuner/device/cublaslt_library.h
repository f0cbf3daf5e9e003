// GemmLibrary over cuBLASLt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "codegen/core/gemm_problem.h"
#include "tuner/device/cublaslt_api.h"
#include "tuner/device/gemm_library.h"

namespace tw {

// Makes a handle on the calling thread's current context, so not while its stream is captured.
// `api` and the stream outlive the result. Unimplemented: what ForCublasLt says. Requires:
// normalised, not empty.
Result<std::unique_ptr<GemmLibrary>> OpenCublasLt(const CublasLtApi& api,
                                                  CuStream stream,
                                                  const GemmProblem& problem);

}  // namespace tw
