// A measured winner beside the vendor's library, from one interleaved run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/core/measurement.h"

namespace tw {

// How the hot GPU is approached (docs/measuring.md). Sustained clocks fall under load, so the
// regime changes a ratio by several per cent: figures of different regimes are never compared.
enum class Regime : std::uint8_t {
  kHot,    // in turns, without a pause, after warm-up
  kCool,   // in turns, short bursts after idle pauses
  kAlone,  // each by itself for a while, in alternating blocks
};

std::string_view Name(Regime regime);
std::optional<Regime> ParseRegime(std::string_view name);

// Time of the one compared with over time of ours, paired sample by sample: above 1 ours is faster.
struct RatioEstimate {
  double ratio = 0;          // median over the pairs
  double low = 0, high = 0;  // 95 % interval of the median
  int pairs = 0;

  friend bool operator==(const RatioEstimate&, const RatioEstimate&) = default;
};

enum class ComparisonVerdict : std::uint8_t {
  kFaster,  // ours: the interval lies above 1 by more than the resolution
  kTie,     // no difference beyond the resolution
  kSlower,
  kUndecided,  // too few undisturbed pairs, or an interval too wide to call
};

std::string_view Name(ComparisonVerdict verdict);
std::optional<ComparisonVerdict> ParseComparisonVerdict(std::string_view name);

// One result of the library's heuristics.
struct BaselineAlgorithm {
  int index = 0;            // in the heuristics' order, from 0
  std::string description;  // "id 66 tile 23 stages 36 split-k 1 ..." as the library tells it
  std::int64_t workspace_bytes = 0;
  // kMeasured: right and timed. kWrongResult, kLaunchError: excluded, `rule` and `detail` say why.
  // kSkipped: right, but not among the fastest when screened.
  OutcomeKind kind = OutcomeKind::kSkipped;
  std::string rule;
  std::string detail;
  double error_ratio = 0;
  double screened_ns = 0;                  // 0: not timed
  std::optional<Measurement> measurement;  // in turns with ours
};

struct BaselineReport {
  std::string library;      // "cublaslt 13.0.2"
  std::string unavailable;  // why there is nothing to compare with; else empty
  Regime regime = Regime::kHot;
  std::vector<BaselineAlgorithm> algorithms;  // in the heuristics' order
  int best = -1;                              // index in `algorithms` of the fastest right one
  int first = -1;  // index of the heuristics' first choice, if it is right
  RatioEstimate over_best;
  RatioEstimate over_first;
  ComparisonVerdict verdict = ComparisonVerdict::kUndecided;  // against the best
  Measurement ours;                                           // in the same turns
  std::map<std::string, std::int64_t> discarded;              // rounds, by reason
  Conditions conditions;
};

}  // namespace tw
