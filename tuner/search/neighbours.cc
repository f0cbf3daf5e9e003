// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/neighbours.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "tuner/search/correction.h"

namespace tw {
namespace {

double Doublings(double a, double b) {
  return std::abs(std::log2((1 + a) / (1 + b)));
}

double OperandDistance(const Operand& a,
                       const Operand& b,
                       std::int64_t batch_a,
                       std::int64_t batch_b) {
  const int bytes_a = BytesOf(a.type);
  const int bytes_b = BytesOf(b.type);
  double distance = std::abs(std::log2(static_cast<double>(bytes_a) / bytes_b));
  distance += a.type != b.type && bytes_a == bytes_b ? kTraitDistance : 0;
  distance += a.major != b.major ? kTraitDistance : 0;
  distance += RowAlignment(a, batch_a) != RowAlignment(b, batch_b) ? kTraitDistance : 0;
  return distance;
}

}  // namespace

double Distance(const GemmProblem& a, const GemmProblem& b) {
  double distance = 0;
  for (const auto& [x, y] : {std::pair(a.m, b.m), std::pair(a.n, b.n), std::pair(a.k, b.k),
                             std::pair(a.batch, b.batch)}) {
    distance += Doublings(static_cast<double>(x), static_cast<double>(y));
  }
  for (const auto& [x, y] : {std::pair(&a.a, &b.a), std::pair(&a.b, &b.b), std::pair(&a.d, &b.d)}) {
    distance += OperandDistance(*x, *y, a.batch, b.batch);
  }
  distance += a.acc != b.acc ? kTraitDistance : 0;
  const bool reads_c = a.beta != ScalarKind::kZero;
  distance += reads_c != (b.beta != ScalarKind::kZero) ? kTraitDistance : 0;
  return distance;
}

std::vector<Neighbour> NearestNeighbours(const ResultKey& key,
                                         std::span<const ResultKey> stored,
                                         std::size_t n) {
  const Result<GemmProblem> problem = ParseCanonicalText(key.problem);
  if (!problem.ok()) {
    return {};
  }
  std::vector<Neighbour> neighbours;
  for (const ResultKey& other : stored) {
    if (other.device_class != key.device_class || other.objective != key.objective) {
      continue;
    }
    const Result<GemmProblem> like = ParseCanonicalText(other.problem);
    const double distance = like.ok() ? Distance(*problem, *like) : kNeighbourReach + 1;
    if (distance <= kNeighbourReach) {
      neighbours.push_back({.key = other, .distance = distance});
    }
  }
  std::sort(neighbours.begin(), neighbours.end(), [&](const Neighbour& a, const Neighbour& b) {
    // The problem itself before another contract's result of it.
    return std::tuple(a.distance, a.key != key, a.key) <
           std::tuple(b.distance, b.key != key, b.key);
  });
  neighbours.resize(std::min(neighbours.size(), n));
  return neighbours;
}

std::vector<KernelConfig> FastestConfigs(std::span<const CandidateReport> reports, std::size_t n) {
  std::vector<const CandidateReport*> measured;
  for (const CandidateReport& report : reports) {
    if (report.kind == OutcomeKind::kMeasured && report.measurement) {
      measured.push_back(&report);
    }
  }
  std::sort(measured.begin(), measured.end(), [](const auto* a, const auto* b) {
    return std::pair(a->measurement->median_ns, a->candidate_id) <
           std::pair(b->measurement->median_ns, b->candidate_id);
  });
  std::vector<KernelConfig> configs;
  for (const CandidateReport* report : measured) {
    const double limit_ns = kSeedShare * measured.front()->measurement->median_ns;
    if (configs.size() == n || report->measurement->median_ns > limit_ns) {
      break;
    }
    configs.push_back(report->config);
  }
  return configs;
}

namespace {

// Null where nothing is of the family.
const Candidate* MostAlike(const std::vector<Candidate>& ranked, const KernelConfig& config) {
  double least = 0;
  const Candidate* nearest = nullptr;
  for (const Candidate& candidate : ranked) {
    if (candidate.config.family != config.family) {
      continue;
    }
    const double distance = Distance(candidate.config, config);
    if (nearest == nullptr || distance < least) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest;
}

}  // namespace

std::vector<std::string> MatchConfigs(const std::vector<Candidate>& ranked,
                                      std::span<const KernelConfig> configs) {
  std::vector<std::string> ids;
  for (const KernelConfig& config : configs) {
    const Candidate* alike = MostAlike(ranked, config);
    if (alike != nullptr && std::find(ids.begin(), ids.end(), alike->id) == ids.end()) {
      ids.push_back(alike->id);
    }
  }
  return ids;
}

}  // namespace tw
