// What earlier tunes of similar problems teach a new one. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "codegen/core/candidate.h"
#include "codegen/core/gemm_problem.h"
#include "codegen/core/outcome.h"

namespace tw {

// How unlike two problems are for the choice of a kernel: the doublings between their sizes m, n,
// k and batch and between their operands' element sizes, summed, and kTraitDistance for every
// other trait that the choice depends on: a layout, what an operand's rows are aligned to, the
// type behind an equal element size, C read or not. 0: the same to a search.
double Distance(const GemmProblem& a, const GemmProblem& b);

inline constexpr double kTraitDistance = 0.5;

// Beyond this the winner of one says little about the other.
inline constexpr double kNeighbourReach = 3;

struct Neighbour {
  ResultKey key;
  double distance = 0;
};

// The `n` stored keys whose problems are nearest to that of `key`, on the same device class and for
// the same objective, nearest first, equal distances by key. `key` itself, tuned before, is its own
// nearest.
std::vector<Neighbour> NearestNeighbours(const ResultKey& key,
                                         std::span<const ResultKey> stored,
                                         std::size_t n);

// Of one neighbour's tune the fastest that were measured, fastest first: at most `n`, and none
// beyond kSeedShare times the fastest.
std::vector<KernelConfig> FastestConfigs(std::span<const CandidateReport> reports, std::size_t n);

inline constexpr double kSeedShare = 1.05;

// Ids of the candidates of `ranked` that are nearest to `configs` (strategy.h takes them as seeds),
// in the order of `configs`, each once: the same configuration where it is legal here, else the
// family's most alike; none for a family that is not there.
std::vector<std::string> MatchConfigs(const std::vector<Candidate>& ranked,
                                      std::span<const KernelConfig> configs);

}  // namespace tw
