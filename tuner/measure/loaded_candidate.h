// A candidate's module on the device and its launches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tuner/benchmarker.h"
#include "tuner/device/device.h"
#include "tw/params.h"

namespace tw {

// Outlived by its device.
class LoadedCandidate {
 public:
  // An error: the driver refuses the module, an entry, or its shared memory.
  static Result<LoadedCandidate> Load(Device& device, const CandidateRun& run);

  // Launches the plan in order, without waiting.
  Status Launch(const GemmParams& params) const;

  // Appends the plan's launches with these parameters.
  void AppendCalls(const GemmParams& params, std::vector<KernelCall>& calls) const;

  [[nodiscard]] std::int64_t workspace_bytes() const { return workspace_bytes_; }

  [[nodiscard]] std::size_t launch_count() const { return calls_.size(); }

 private:
  explicit LoadedCandidate(Device& device) : device_(&device) {}

  Device* device_;
  std::unique_ptr<LoadedModule> module_;
  std::vector<KernelCall> calls_;  // without arguments
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace tw
