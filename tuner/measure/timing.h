// Timing of verified contestants: graph replays between events, over operands that do not stay in
// the L2 (objective cold), alone or in turns, without the rounds in which the device was disturbed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/core/clock.h"
#include "codegen/core/outcome.h"
#include "tuner/benchmarker.h"
#include "tuner/device/device_buffer.h"
#include "tuner/measure/compare.h"
#include "tuner/measure/contestant.h"
#include "tuner/measure/operands.h"
#include "tuner/measure/ratio.h"
#include "tuner/measure/round_sampler.h"
#include "tuner/measure/stopping_rule.h"

namespace tw {

struct Timed {
  Measurement measurement;
  std::string disturbed;  // empty, or why too few samples are worth keeping: "throttled", …
};

// Times on one device. Outlived by the device, the clock and the operands.
class TimingRig {
 public:
  TimingRig(Device& device, const Clock& clock, const Operands& operands, MeasureOptions options)
      : device_(device), clock_(clock), operands_(operands), options_(options) {}

  // Until the median's interval is narrow or a limit is reached. An error: the launch failed.
  Result<Timed> Measure(const Contestant& candidate);

  // Samples in turns, until the ratios of all to the first are known well or a limit is reached.
  // An error: a launch failed. Requires: a contestant.
  Result<InterleavedTimes> Compare(std::span<const Contestant* const> contestants,
                                   const CompareOptions& options);

  // `rounds` samples of each, in turns. One result per candidate, in order; after an error the
  // candidates that follow are Aborted.
  std::vector<Result<Timed>> MeasureInterleaved(std::span<const Contestant* const> candidates,
                                                int rounds);

 private:
  // How the rounds of one measurement end.
  struct Limits {
    StoppingLimits stop;
    double max_wait_ns = 0;
    bool warm = true;  // again after a pause
  };

  struct Rounds {
    std::vector<Round> all;
    Screening screening;
    std::string disturbed;
  };

  // `culprit`: the contestant that failed.
  Result<InterleavedTimes> Interleave(std::span<const Contestant* const> contestants,
                                      const CompareOptions& options,
                                      std::size_t& culprit);
  Result<std::vector<Replay>> Prepare(std::span<const Contestant* const> contestants,
                                      const ReplayLength& length,
                                      std::size_t& culprit);
  Result<Rounds> Collect(RoundSampler& sampler, const Limits& limits);
  // Where each one's workspace starts. They share one, for launches are in order on one stream; who
  // needs zeros has one of its own, zeroed, for the others leave theirs as they please.
  Result<std::vector<DeviceAddress>> PlaceWorkspaces(
      std::span<const Contestant* const> contestants);
  Status PrepareWorkspace(std::int64_t bytes);
  [[nodiscard]] bool IsCold() const;

  Device& device_;
  const Clock& clock_;
  const Operands& operands_;
  MeasureOptions options_;
  DeviceBuffer workspace_;
  std::optional<std::chrono::nanoseconds> last_busy_;
  bool hopeless_ = false;  // waited in vain, and no quiet round since: wait no more
};

}  // namespace tw
