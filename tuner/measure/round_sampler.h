// Samples contestants in turns, as a regime asks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "codegen/core/baseline.h"
#include "tuner/measure/disturbance.h"
#include "tuner/measure/replay.h"

namespace tw {

// Positions of the contestants in a round: every other round goes backwards (A B C, C B A, …), so
// that a steady drift favours none.
std::vector<std::size_t> TurnOrder(int round, std::size_t contestants);

// Outlived by the device.
class RoundSampler {
 public:
  // Requires: a replay.
  RoundSampler(Device& device, std::vector<Replay> replays, Regime regime)
      : device_(device), replays_(std::move(replays)), regime_(regime) {}

  // A sample of each. An error: a launch failed, of `culprit`.
  Result<Round> Next();

  // Replays in turns for that long, not sampled.
  Status WarmUp(double seconds);

  [[nodiscard]] std::size_t culprit() const { return culprit_; }

 private:
  struct Sample {
    ReplayTime time;        // mean (median in blocks) of a replay
    double elapsed_ns = 0;  // on the host
  };

  Result<Sample> Take(Replay& replay);
  Result<Sample> TakeBlock(Replay& replay);
  DeviceReading Read();

  Device& device_;
  std::vector<Replay> replays_;
  Regime regime_;
  int round_ = 0;
  std::size_t culprit_ = 0;
  std::optional<DeviceReading> reading_;
  int round_of_reading_ = 0;
  double since_reading_ns_ = 0;
};

}  // namespace tw
