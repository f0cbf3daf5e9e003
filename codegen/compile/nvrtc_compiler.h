// The compiler itself: NVRTC in this process. A compilation can run without end and can crash, so
// a service uses it through CompilePool's disposable children.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "codegen/compile/compiler.h"
#include "codegen/compile/nvrtc_api.h"

namespace tw {

class NvrtcCompiler final : public Compiler {
 public:
  explicit NvrtcCompiler(NvrtcApi api);

  // Adds the options that make ptxas report (they do not change the code). `stop` is asked between
  // passes of the compiler only: it is no time limit. Unavailable: also for an architecture that
  // this NVRTC does not know. Besides Compiler's codes: ResourceExhausted when NVRTC runs out of
  // memory, Internal for a failure of NVRTC's own.
  Result<CompiledKernel> Compile(const KernelSource& source, std::stop_token stop) override;
  [[nodiscard]] int Parallelism() const override;

  // "nvrtc 13.0".
  [[nodiscard]] const std::string& Version() const { return version_; }

 private:
  NvrtcApi api_;
  std::string version_;
};

}  // namespace tw
