// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/loaded_candidate.h"

#include <cstdint>
#include <string>
#include <utility>

#include "tuner/measure/kernel_argument.h"

namespace tw {

Result<LoadedCandidate> LoadedCandidate::Load(Device& device, const CandidateRun& run) {
  if (run.launch.launches.empty())
    return Status(StatusCode::kInvalidArgument, "the launch plan is empty");
  const std::int64_t zero_bytes = run.launch.workspace_zero_bytes;
  if (zero_bytes < 0 || zero_bytes > run.launch.workspace_bytes) {
    return InvalidField(
        "workspace_zero_bytes", std::to_string(zero_bytes),
        "must be 0 to workspace_bytes, " + std::to_string(run.launch.workspace_bytes));
  }
  LoadedCandidate candidate(device);
  candidate.workspace_bytes_ = run.launch.workspace_bytes;
  candidate.workspace_zero_bytes_ = zero_bytes;
  TW_ASSIGN_OR_RETURN(candidate.module_, device.Load(run.kernel.cubin));
  for (const KernelLaunch& launch : run.launch.launches) {
    TW_ASSIGN_OR_RETURN(KernelHandle kernel,
                        candidate.module_->GetKernel(launch.entry, launch.dynamic_smem_bytes));
    candidate.steps_.push_back({.call = {.kernel = kernel,
                                         .grid = launch.grid,
                                         .block = launch.block,
                                         .dynamic_smem_bytes = launch.dynamic_smem_bytes,
                                         .cluster = launch.cluster,
                                         .cooperative = launch.cooperative,
                                         .programmatic = launch.programmatic,
                                         .argument = {}},
                                .maps = launch.tensor_maps});
  }
  return candidate;
}

Status LoadedCandidate::Launch(const GemmParams& params) const {
  for (const Step& step : steps_) {
    KernelCall call = step.call;
    // Maps are encoded anew (about a microsecond each): timing rotates over operands and replays
    // what was launched once, so that none would be found again.
    TW_ASSIGN_OR_RETURN(call.argument, KernelArgument(*device_, step.maps, params));
    TW_RETURN_IF_ERROR(device_->Launch(call));
  }
  return OkStatus();
}

}  // namespace tw
