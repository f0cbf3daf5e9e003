// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/fake_library.h"

#include <utility>

namespace tw {

FakeLibrary::FakeLibrary(FakeDevice& device, FakeLibraryScript script)
    : device_(device), script_(std::move(script)) {
  for (const FakeLibraryAlgorithm& algorithm : script_.algorithms)
    kernels_.push_back(
        device.AddCandidate("library:" + std::to_string(kernels_.size()), algorithm.rule));
}

Result<std::vector<LibraryAlgorithm>> FakeLibrary::Algorithms(std::int64_t workspace_limit_bytes) {
  std::vector<LibraryAlgorithm> algorithms;
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    const std::int64_t workspace = script_.algorithms[i].workspace_bytes;
    if (workspace > workspace_limit_bytes)
      continue;
    algorithms.push_back({.index = static_cast<int>(i),
                          .description = "fake " + std::to_string(i),
                          .workspace_bytes = workspace,
                          .opaque = {i}});
  }
  return algorithms;
}

Status FakeLibrary::Enqueue(const LibraryAlgorithm& algorithm, const GemmParams& params) {
  KernelCall call;
  call.kernel = kernels_.at(algorithm.opaque[0]);
  call.argument = ArgumentBytes(params);
  return device_.Launch(call);
}

}  // namespace tw
