// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/self_check.h"

#include <array>
#include <cmath>
#include <utility>

#include "tuner/measure/statistics.h"

namespace tw {
namespace {

constexpr double kEqualWithin = 0.002;

Result<SelfCheckRow> CompareOnce(TimingRig& rig,
                                 const Contestant& theirs,
                                 const Contestant& ours,
                                 const CompareOptions& options) {
  const std::array<const Contestant*, 2> pair{&theirs, &ours};
  TW_ASSIGN_OR_RETURN(InterleavedTimes times, rig.Compare(pair, options));
  SelfCheckRow row;
  row.ratio = EstimateRatio(times.rounds_ns[0], times.rounds_ns[1]);
  if (times.disturbed.empty())
    row.verdict = Judge(row.ratio);
  row.time_ns = Median(times.rounds_ns[1]);
  for (const auto& [reason, count] : times.discarded)
    row.discarded += count;
  row.conditions = times.conditions;
  row.disturbed = std::move(times.disturbed);
  return row;
}

bool Passes(const std::string& check, const SelfCheckRow& row) {
  if (!row.disturbed.empty())
    return false;
  if (check == "equal")
    return row.ratio.pairs >= kFewestPairs && std::abs(row.ratio.ratio - 1) <= kEqualWithin;
  if (check == "slower")
    return row.verdict == ComparisonVerdict::kFaster;
  return row.verdict == ComparisonVerdict::kTie;
}

}  // namespace

Result<std::vector<SelfCheckRow>> CheckStopwatch(TimingRig& rig,
                                                 const Contestant& contestant,
                                                 const Contestant* slower,
                                                 const CompareOptions& options,
                                                 const SelfCheckRepeats& repeats) {
  struct Check {
    const char* name;
    const Contestant* theirs;
    int times;
  };

  std::vector<SelfCheckRow> rows;
  for (const Check& check : {Check{"equal", &contestant, repeats.equal},
                             Check{"slower", slower, slower == nullptr ? 0 : repeats.slower},
                             Check{"undivided", &contestant, repeats.undivided}}) {
    for (int i = 0; i < check.times; ++i) {
      TW_ASSIGN_OR_RETURN(SelfCheckRow row, CompareOnce(rig, *check.theirs, contestant, options));
      row.check = check.name;
      row.passed = Passes(row.check, row);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace tw
