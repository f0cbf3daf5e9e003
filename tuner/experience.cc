// SPDX-License-Identifier: Apache-2.0
#include "tuner/experience.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "tuner/search/cost_model.h"
#include "tuner/search/neighbours.h"

namespace tw {
namespace {

constexpr std::size_t kNeighbours = 4;
constexpr std::size_t kOwnSeeds = 5;
constexpr std::size_t kSeedsEach = 2;
constexpr std::size_t kMostOfEach = 40;
// What a measurement of the same problem would weigh, next to one of this run.
constexpr double kPastWeight = 0.3;

// As the model of today predicts it: the reports may be older.
std::vector<PastCandidate> PastOf(const GemmProblem& problem,
                                  const DeviceSpec& device,
                                  const std::vector<CandidateReport>& reports,
                                  double distance) {
  std::vector<PastCandidate> past;
  for (const CandidateReport& report : reports) {
    if (past.size() == kMostOfEach) {  // an exhaustive run has thousands
      break;
    }
    if (report.kind != OutcomeKind::kMeasured || !report.measurement ||
        report.resources.tile_m <= 0 || report.resources.tile_n <= 0 ||
        report.resources.tile_k <= 0 || report.resources.split_k <= 0) {
      continue;
    }
    PastCandidate other;
    other.candidate.config = report.config;
    other.candidate.id = report.candidate_id;
    other.candidate.resources = report.resources;
    other.candidate.predicted_ns = PredictTime(problem, device, other.candidate).time_ns;
    other.time_ns = report.measurement->median_ns;
    other.weight = kPastWeight * std::exp(-distance);
    past.push_back(std::move(other));
  }
  return past;
}

bool IsOfThese(const TuneContext& context, const CandidateReport& report) {
  return std::any_of(context.families.begin(), context.families.end(),
                     [&](const KernelFamily* f) { return f->name == report.config.family; });
}

}  // namespace

Experience GatherExperience(const TuneContext& context, const std::vector<Candidate>& ranked) {
  const TuneSpec& spec = context.spec;
  if (spec.options.strategy == Strategy::kExhaustive) {
    return {};
  }
  const ResultStore& store = context.deps.store;
  const ResultKey key = KeyOf(spec);
  const std::vector<ResultKey> stored = store.MeasuredKeys(key.device_class);
  Experience experience;
  std::vector<KernelConfig> configs;
  for (const Neighbour& neighbour : NearestNeighbours(key, stored, kNeighbours)) {
    const std::optional<TuneResult> result = store.Find(neighbour.key);
    const Result<GemmProblem> problem = ParseCanonicalText(neighbour.key.problem);
    if (!result || !problem.ok() || result->run_id.empty() || result->run_id == spec.run_id) {
      continue;
    }
    Result<std::vector<CandidateReport>> reports = store.Reports(result->run_id);
    if (!reports.ok()) {
      continue;
    }
    std::erase_if(*reports, [&](const CandidateReport& r) { return !IsOfThese(context, r); });
    const std::size_t most = neighbour.key == key ? kOwnSeeds : kSeedsEach;
    for (KernelConfig& config : FastestConfigs(*reports, most)) {
      configs.push_back(std::move(config));
    }
    std::vector<PastCandidate> past = PastOf(*problem, spec.device, *reports, neighbour.distance);
    std::move(past.begin(), past.end(), std::back_inserter(experience.past));
  }
  experience.seeds = MatchConfigs(ranked, configs);
  return experience;
}

}  // namespace tw
