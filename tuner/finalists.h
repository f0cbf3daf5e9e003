// Who goes to the final round, and who wins it. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codegen/core/outcome.h"

namespace tw {

// Ids of the `n` fastest measured reports by median, fastest first; equal medians by id.
std::vector<std::string> FastestMeasured(std::span<const CandidateReport> reports, std::size_t n);

// Candidates are first measured as they come out of the compiler, on a device that is cool or hot
// as it happens: a 4096^3 product differs by 15 % between the two, more than good candidates
// differ. So the fastest of them meet in turns on a warm device after every batch, and in the end
// heats leave the faster ones to the next one, which looks closer.
struct Heat {
  std::size_t entrants = 0;  // at most
  int rounds = 0;
};

inline constexpr int kFirstHeatRounds = 5;
inline constexpr std::size_t kMostEntrants = 24;

// The heats that lead to `final`, which is the last; without those that would not thin out its
// field.
std::vector<Heat> HeatsBefore(const Heat& final);

// Finalists whose intervals overlap meet again, twice as long each time, until they part, the
// budget ends, or they have had so many of these.
inline constexpr int kMostPlayoffs = 2;

// Time of a heat of candidates of about `time_ns` each: warm-up and samples of at least 3 ms.
double HeatSeconds(const Heat& heat, double time_ns);

// Rounds of `heat` that `seconds` leave time for, at most its own; 0 where fewer than three fit.
int RoundsThatFit(const Heat& heat, double time_ns, double seconds);

// How much slower than the fastest a first measurement may be and still be tried again.
inline constexpr double kEntryShare = 1.25;

struct EntryLimits {
  std::size_t least = 1, most = kMostEntrants;
};

// The fastest within kEntryShare of the first, within the limits.
std::vector<std::string> Entrants(std::span<const CandidateReport> reports,
                                  const EntryLimits& limits);

// The same kernel measured by another process lies so far off although each interval is narrow
// (other addresses, another temperature): a smaller difference is none. How far is an assumption,
// not measured yet.
inline constexpr double kRepeatability = 1.003;

// Of a tie only those may win that are at most so much slower than its fastest.
inline constexpr double kTieBreakShare = 1.01;

// Most registers of a thread over what was compiled; 0 where nothing was.
int RegistersOf(const CandidateReport& report);

// What decides among those, in this order.
enum class TieBreak : std::uint8_t { kSplitK, kSharedMemory, kRegisters, kId };

// The first by which `a` and `b` differ.
TieBreak TieBreakBetween(const CandidateReport& a, const CandidateReport& b);

struct Choice {
  std::size_t winner = 0;         // index
  std::vector<std::string> ties;  // ids besides the winner, fastest first
};

// Ids of the finalist with the lowest median and of those whose confidence intervals overlap its
// own, fastest first. Requires: not empty, all measured.
std::vector<std::string> Overlapping(std::span<const CandidateReport> finalists);

// The tie set is every finalist whose confidence interval overlaps that of the lowest median, or
// lies within kRepeatability of it.
// Of those within kTieBreakShare of the lowest median (a wide interval is no reason to give up
// speed) the winner is the one without split-K, then with the least shared memory, then the fewest
// registers, then the smallest id.
// Requires: not empty, all measured.
Choice ChooseMeasured(std::span<const CandidateReport> finalists);

// Lowest predicted time; equal predictions by the same tie-break.
// Requires: not empty.
Choice ChoosePredicted(std::span<const CandidateReport> compiled);

}  // namespace tw
