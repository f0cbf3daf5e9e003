// Timing of verified candidates: graph replays between events, over operands that do not stay in
// the L2 (objective cold), on a device that has reached its sustained clock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/core/clock.h"
#include "codegen/core/outcome.h"
#include "tuner/benchmarker.h"
#include "tuner/measure/compare.h"
#include "tuner/measure/contestant.h"
#include "tuner/measure/ratio.h"
#include "tuner/measure/timed_buffers.h"

namespace tw {

// Launches in one replay: at least a millisecond of work and a whole number of turns over the
// copies, but no more than lets min_samples replays end within max_seconds (a kernel that slow
// gains nothing from a warm L2). `once_ns`: one launch of the plan.
std::int64_t LaunchesPerReplay(double once_ns, std::int64_t copies, const MeasureOptions& options);

struct Timed {
  Measurement measurement;
  std::string disturbed;  // empty, or why no sample is worth keeping: "throttled", "other_process"
};

// Times on one device. Outlived by the device, the clock and the buffers.
class TimingRig {
 public:
  TimingRig(Device& device, const Clock& clock, const TimedBuffers& buffers, MeasureOptions options)
      : device_(device), clock_(clock), buffers_(buffers), options_(options) {}

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
  struct Replay {
    std::unique_ptr<LaunchGraph> graph;
    std::int64_t launches = 0;
  };

  // `culprit`: the contestant that failed.
  Result<InterleavedTimes> Interleave(std::span<const Contestant* const> contestants,
                                      const CompareOptions& options,
                                      std::size_t& culprit);
  Status PrepareWorkspace(std::int64_t bytes);
  Result<Replay> Capture(const Contestant& candidate, std::int64_t launches);
  Result<Replay> Prepare(const Contestant& candidate);
  Status WarmUp(Replay& replay);
  [[nodiscard]] bool IsCold() const;

  // One pass of `sample` between two readings of the device; another if it was throttled.
  Result<Timed> Observe(const std::function<Result<std::vector<double>>()>& sample);
  Result<std::vector<double>> SampleUntilSteady(Replay& replay) const;
  Result<double> SampleOnce(Replay& replay) const;

  Device& device_;
  const Clock& clock_;
  const TimedBuffers& buffers_;
  MeasureOptions options_;
  DeviceBuffer workspace_;
  std::optional<std::chrono::nanoseconds> last_busy_;
};

}  // namespace tw
