// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/loaded_candidate.h"

#include <utility>

namespace tw {

Result<LoadedCandidate> LoadedCandidate::Load(Device& device, const CandidateRun& run) {
  if (run.launch.launches.empty())
    return Status(StatusCode::kInvalidArgument, "the launch plan is empty");
  LoadedCandidate candidate(device);
  candidate.workspace_bytes_ = run.launch.workspace_bytes;
  TW_ASSIGN_OR_RETURN(candidate.module_, device.Load(run.kernel.cubin));
  for (const KernelLaunch& launch : run.launch.launches) {
    TW_ASSIGN_OR_RETURN(KernelHandle kernel,
                        candidate.module_->GetKernel(launch.entry, launch.dynamic_smem_bytes));
    candidate.calls_.push_back({.kernel = kernel,
                                .grid = launch.grid,
                                .block = launch.block,
                                .dynamic_smem_bytes = launch.dynamic_smem_bytes,
                                .argument = {}});
  }
  return candidate;
}

Status LoadedCandidate::Launch(const GemmParams& params) const {
  const std::vector<std::byte> argument = ArgumentBytes(params);
  for (const KernelCall& planned : calls_) {
    KernelCall call = planned;
    call.argument = argument;
    TW_RETURN_IF_ERROR(device_->Launch(call));
  }
  return OkStatus();
}

}  // namespace tw
