// Which of the ranked candidates are compiled and measured, in which batches. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codegen/core/candidate.h"

namespace tw {

enum class Strategy : std::uint8_t {
  kAdaptive,    // first a choice by the model, then what its errors so far make the best
  kExhaustive,  // everything, or a sample of it: the yardstick of the other one
};

// A candidate measured for a similar problem.
struct PastCandidate {
  Candidate candidate;  // predicted for that problem
  double time_ns = 0;
  double weight = 0;  // of what it teaches about this one, below 1
};

// What earlier tunes tell; empty where there are none.
struct Experience {
  std::vector<std::string> seeds;  // ids of candidates to try first, the most promising first
  std::vector<PastCandidate> past;
};

struct StrategyOptions {
  Strategy strategy = Strategy::kAdaptive;
  int max_candidates = 40;  // in all batches; >= 1
  std::uint64_t seed = 1;   // of the random share
  Experience experience = {};
};

// Times of the candidates tried so far by id, hot; nothing for those that have none: failed,
// skipped.
using KnownTimes = std::map<std::string, std::optional<double>, std::less<>>;

// The candidates to try next, in ranking order; none: nothing is left that could be faster. What is
// known of other candidates (an earlier attempt's, say) counts, and is not tried again.
//
// Adaptive: all where they fit. Otherwise SelectCandidates of three fifths of the limit, then twice
// a fifth of what CorrectedNs puts first, as long as it promises to come within kHopelessShare of
// the fastest; a limit below 20 is one batch. Experience seeds the first and teaches the others.
// Exhaustive: all at once, or a sample: the top quarter by the model, then every n-th of the rest.
//
// Requires: `ranked` is fastest first.
std::vector<Candidate> NextBatch(const std::vector<Candidate>& ranked,
                                 const KnownTimes& known,
                                 const StrategyOptions& options);

// Beyond this the model's error near a candidate is no longer thought to hide a winner.
inline constexpr double kHopelessShare = 1.08;

// At most `n` of `ranked` (fastest first), in ranking order: the fastest of each family always;
// `seeds` as far as a third of `n` goes; the fastest of each (family, schedule, split) that is
// predicted within 3x of the best, as far as a quarter of `n` goes; of each tile of those
// within 1.25x, as far as half of `n` goes; a tenth of `n` drawn from the rest by `seed`; the top
// by model for what is left. The model's error is alike within a class, so the representatives
// guard against a wrong class and the draw against a wrong model. Requires: n >= 1. Equal arguments
// give equal selections.
std::vector<Candidate> SelectCandidates(const std::vector<Candidate>& ranked,
                                        int n,
                                        std::uint64_t seed,
                                        const std::vector<std::string>& seeds = {});

}  // namespace tw
