// What the fake device's candidates do, by entry name.
//   {"rules": [{"match": "simt", "behaviour": "wrong", "count": 1}, {"match": "*", "behaviour":
//   "ok"}],
//    "time_ns": 5000}
// The first rule that matches and is not used up decides; without one: ok. "match" is a substring
// of the entry name, "*" any. "count": the rule holds for that many candidates of this process.
// "time_ns", of a rule or of all: simulated time of one launch.
//   "library": {"version": "fakelt 1.0",
//               "algorithms": [{"behaviour": "ok", "time_ns": 5000, "workspace": 1024}]}
// The vendor's library: its algorithms, first choice first; "absent": there is none. Without it:
// two that are ok.
// "disturbances": what goes wrong at times, by the seconds that the device has simulated: [{
//   "from_s": 1, "for_s": 5, "every_s": 10,   (once without every_s; for ever without for_s)
//   "factor": 1.5, "wait_us": 1700,           (on every replay)
//   "sm_clock_mhz": 1200, "throttle_reasons": 64, "compute_processes": 2}]  (what it reads)
// "calibration": {"dram_bytes_per_s": 4.1e12, "l2_bytes_per_clock_per_sm": 40,
// "sm_clock_hz": 1.7e9,
//                 "launch_s": 1.5e-6, "behaviour": "crash"}
// What calibrating finds, each the device's own value where it is left out. Behaviour: "ok",
// "hang", "crash", "sticky" or "launch_error", of every calibrating kernel; no rule holds for
// those. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/core/status.h"

namespace tw {

enum class FakeBehaviour : std::uint8_t {
  kOk,
  kWrong,             // one element, the last
  kNan,               // one element
  kNoop,              // writes nothing
  kOob,               // one byte past D
  kNondeterministic,  // other bits the second time
  kDirty,             // right, and leaves the workspace's first byte set
  kNoise,             // right, with times that scatter by 30 %
  kSlow,              // right, and holds each launch for real: "slow:MS"
  kHeld,              // right, and holds each launch while a file exists: "held:PATH"
  kHang,              // never returns, ignores SIGTERM
  kCrash,             // aborts the process
  kSticky,            // CUDA error 700, now and for ever
  kLaunchError,       // refused by the driver
};

struct FakeRule {
  std::string match;
  FakeBehaviour behaviour = FakeBehaviour::kOk;
  int slow_ms = 0;
  std::string held_by;
  std::optional<int> count;
  std::optional<double> time_ns;
};

struct FakeLibraryAlgorithm {
  FakeRule rule;  // `match` and `count` mean nothing
  std::int64_t workspace_bytes = 0;
};

struct FakeLibraryScript {
  std::string version = "fakelt 1.0";
  std::vector<FakeLibraryAlgorithm> algorithms{2};
};

struct FakeDisturbance {
  double from_s = 0;
  std::optional<double> for_s;
  std::optional<double> every_s;
  double factor = 1;
  double wait_us = 0;
  std::optional<double> sm_clock_mhz;
  std::optional<std::uint64_t> throttle_reasons;
  std::optional<int> compute_processes;

  [[nodiscard]] bool IsOn(double now_s) const;
};

struct FakeCalibrationScript {
  std::optional<double> dram_bytes_per_s;
  std::optional<double> l2_bytes_per_clock_per_sm;
  std::optional<double> sm_clock_hz;
  std::optional<double> launch_s;
  FakeBehaviour behaviour = FakeBehaviour::kOk;
};

struct FakeScript {
  std::vector<FakeRule> rules;
  std::optional<FakeLibraryScript> library = FakeLibraryScript{};  // nothing: absent
  std::vector<FakeDisturbance> disturbances;
  std::optional<double> time_ns;
  FakeCalibrationScript calibration;

  // The rule for one more candidate; counts it.
  FakeRule Take(const std::string& entry);
};

// `text` is JSON, or the path of a file that holds it; empty: every candidate is ok.
// InvalidArgument names what is wrong.
Result<FakeScript> ParseFakeScript(const std::string& text);

}  // namespace tw
