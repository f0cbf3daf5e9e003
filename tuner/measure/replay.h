// A contestant's launches as a graph, over all sets of operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "tuner/device/device.h"
#include "tuner/measure/contestant.h"
#include "tuner/measure/operands.h"

namespace tw {

// How long a replay should be.
struct ReplayLength {
  double least_ns = 1e6;  // hides the events' own resolution and the launch of the graph
  double most_ns = 1e9;   // even if that leaves some sets of operands out
};

// Launches in one replay: at least least_ns of work and a whole number of turns over the copies,
// but no more than most_ns (a kernel that slow gains nothing from a warm L2); one at least.
// `once_ns`: one launch of the plan.
std::int64_t LaunchesPerReplay(double once_ns, std::int64_t copies, const ReplayLength& length);

// Outlived by the device, the contestant and the operands.
class Replay {
 public:
  // Loads the contestant, measures a launch, captures. `workspace`: as much as it needs.
  static Result<Replay> Prepare(Device& device,
                                const Contestant& contestant,
                                const Operands& operands,
                                DeviceAddress workspace,
                                const ReplayLength& length);

  // Of all launches together.
  Result<ReplayTime> Run() { return graph_->RunTimed(); }

  [[nodiscard]] double launches() const { return static_cast<double>(launches_); }

 private:
  Replay() = default;

  std::unique_ptr<LaunchGraph> graph_;
  std::int64_t launches_ = 0;
};

}  // namespace tw
