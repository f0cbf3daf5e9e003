// A candidate's module on the device and its launches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tuner/benchmarker.h"
#include "tuner/device/device.h"
#include "tuner/measure/contestant.h"

namespace tw {

// Outlived by its device.
class LoadedCandidate final : public Contestant {
 public:
  // An error: the plan is none, or the driver refuses the module, an entry, or its shared memory.
  static Result<LoadedCandidate> Load(Device& device, const CandidateRun& run);

  // Launches the plan in order, without waiting.
  [[nodiscard]] Status Launch(const GemmParams& params) const override;

  [[nodiscard]] std::int64_t workspace_bytes() const override { return workspace_bytes_; }

  [[nodiscard]] std::int64_t workspace_zero_bytes() const override { return workspace_zero_bytes_; }

 private:
  struct Step {
    KernelCall call;  // without its argument
    std::vector<TensorMapRecipe> maps;
  };

  explicit LoadedCandidate(Device& device) : device_(&device) {}

  Device* device_;
  std::unique_ptr<LoadedModule> module_;
  std::vector<Step> steps_;
  std::int64_t workspace_bytes_ = 0;
  std::int64_t workspace_zero_bytes_ = 0;
};

}  // namespace tw
