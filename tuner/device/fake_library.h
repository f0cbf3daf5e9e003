// GemmLibrary on the fake device: algorithms compute the right D and then do what the script says.
// It takes the problems that the real library takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tuner/device/fake_device.h"
#include "tuner/device/gemm_library.h"

namespace tw {

class FakeLibrary final : public GemmLibrary {
 public:
  FakeLibrary(FakeDevice& device, FakeLibraryScript script);

  [[nodiscard]] const std::string& Version() const override { return script_.version; }

  Result<std::vector<LibraryAlgorithm>> Algorithms(std::int64_t workspace_limit_bytes) override;
  Status Enqueue(const LibraryAlgorithm& algorithm, const GemmParams& params) override;

 private:
  FakeDevice& device_;
  FakeLibraryScript script_;
  std::vector<KernelHandle> kernels_;  // by algorithm
};

}  // namespace tw
