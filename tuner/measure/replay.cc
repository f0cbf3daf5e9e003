// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/replay.h"

#include <algorithm>
#include <cmath>

namespace tw {
namespace {

Result<std::unique_ptr<LaunchGraph>> Capture(Device& device,
                                             const Contestant& contestant,
                                             const Operands& operands,
                                             DeviceAddress workspace,
                                             std::int64_t launches) {
  auto enqueue = [&]() -> Status {
    for (std::int64_t i = 0; i < launches; ++i)
      TW_RETURN_IF_ERROR(contestant.Launch(operands.Params(i % operands.copies(), workspace)));
    return OkStatus();
  };
  TW_ASSIGN_OR_RETURN(std::unique_ptr<LaunchGraph> graph, device.Capture(enqueue));
  // The first replay pays for the graph's upload.
  TW_RETURN_IF_ERROR(graph->RunTimed().status());
  return graph;
}

}  // namespace

std::int64_t LaunchesPerReplay(double once_ns, std::int64_t copies, const ReplayLength& length) {
  constexpr double kMostLaunches = 1 << 13;
  const double once = std::max(once_ns, 1.0);
  const double turns =
      std::ceil(std::min(length.least_ns / once, kMostLaunches) / static_cast<double>(copies));
  const double wanted = std::max(turns, 1.0) * static_cast<double>(copies);
  const double affordable = std::floor(length.most_ns / once);
  return static_cast<std::int64_t>(std::max(1.0, std::min(wanted, affordable)));
}

Result<Replay> Replay::Prepare(Device& device,
                               const Contestant& contestant,
                               const Operands& operands,
                               DeviceAddress workspace,
                               const ReplayLength& length) {
  // The driver loads a kernel at its first launch, which a capture may not do.
  TW_RETURN_IF_ERROR(contestant.Launch(operands.Params(0, workspace)));
  TW_RETURN_IF_ERROR(device.Synchronize());
  Replay replay;
  replay.launches_ = 1;
  TW_ASSIGN_OR_RETURN(replay.graph_, Capture(device, contestant, operands, workspace, 1));
  TW_ASSIGN_OR_RETURN(ReplayTime once, replay.Run());
  replay.launches_ = LaunchesPerReplay(once.device_ns, operands.copies(), length);
  if (replay.launches_ > 1) {
    TW_ASSIGN_OR_RETURN(replay.graph_,
                        Capture(device, contestant, operands, workspace, replay.launches_));
  }
  return replay;
}

}  // namespace tw
