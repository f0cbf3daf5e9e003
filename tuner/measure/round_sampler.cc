// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/round_sampler.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "tuner/measure/statistics.h"

namespace tw {
namespace {

constexpr double kNsPerS = 1e9;
// Long enough for the clocks to rise again.
constexpr std::chrono::milliseconds kCoolPause{60};
// In shorter blocks a device does not reach the temperature and clock of one kernel alone.
constexpr double kBlockNs = 0.4e9;
// A reading takes 0.1 ms, in which the device idles and cools: not after every replay.
constexpr double kReadingNs = 10e6;

}  // namespace

std::vector<std::size_t> TurnOrder(int round, std::size_t contestants) {
  std::vector<std::size_t> order(contestants);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (round % 2 != 0)
    std::reverse(order.begin(), order.end());
  return order;
}

Result<Round> RoundSampler::Next() {
  Round round;
  round.times_ns.resize(replays_.size());
  round.before = Read();
  for (std::size_t i : TurnOrder(round_++, replays_.size())) {
    culprit_ = i;
    TW_ASSIGN_OR_RETURN(Sample sample, Take(replays_[i]));
    round.times_ns[i] = sample.time.device_ns / replays_[i].launches();
    round.waited_ns = std::max(round.waited_ns, sample.time.host_ns - sample.time.device_ns);
    round.elapsed_ns += sample.elapsed_ns;
    since_reading_ns_ += sample.elapsed_ns;
  }
  round.after = Read();
  return round;
}

Status RoundSampler::WarmUp(double seconds) {
  double elapsed_ns = 0;
  while (elapsed_ns < kNsPerS * seconds) {
    for (culprit_ = 0; culprit_ < replays_.size(); ++culprit_) {
      TW_ASSIGN_OR_RETURN(ReplayTime time, replays_[culprit_].Run());
      // At least a nanosecond, so that a broken timer cannot hold the loop.
      elapsed_ns += std::max(1.0, time.host_ns);
    }
  }
  reading_.reset();
  return OkStatus();
}

Result<RoundSampler::Sample> RoundSampler::Take(Replay& replay) {
  if (regime_ == Regime::kAlone)
    return TakeBlock(replay);
  Sample sample;
  if (regime_ == Regime::kCool) {
    device_.Pause(kCoolPause);
    sample.elapsed_ns = static_cast<double>(std::chrono::nanoseconds(kCoolPause).count());
  }
  TW_ASSIGN_OR_RETURN(sample.time, replay.Run());
  sample.elapsed_ns += std::max(1.0, sample.time.host_ns);
  return sample;
}

Result<RoundSampler::Sample> RoundSampler::TakeBlock(Replay& replay) {
  Sample sample;
  std::vector<double> times_ns;
  double waited_ns = 0;
  while (sample.elapsed_ns < kBlockNs) {
    TW_ASSIGN_OR_RETURN(ReplayTime time, replay.Run());
    times_ns.push_back(time.device_ns);
    waited_ns += time.host_ns - time.device_ns;
    sample.elapsed_ns += std::max(1.0, time.host_ns);
  }
  sample.time.device_ns = Median(times_ns);
  sample.time.host_ns = sample.time.device_ns + waited_ns / static_cast<double>(times_ns.size());
  return sample;
}

DeviceReading RoundSampler::Read() {
  // The contestant that runs first after a pause has a small advantage, and rounds start with one
  // and the other in turns: so do the rounds that follow a reading.
  const bool fair = round_ % 2 != round_of_reading_ % 2;
  if (!reading_ || (fair && since_reading_ns_ >= kReadingNs)) {
    reading_ = device_.ReadConditions();
    round_of_reading_ = round_;
    since_reading_ns_ = 0;
  }
  return *reading_;
}

}  // namespace tw
