// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/strategy.h"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "codegen/core/check.h"
#include "tuner/search/correction.h"

namespace tw {
namespace {

// A class that is predicted slower than this many times the best is not represented.
constexpr double kScheduleHorizon = 3.0;
constexpr double kCutHorizon = 1.25;

// Knobs that decide how blocks share and order their work; what else differs are sizes.
constexpr std::array<std::string_view, 7> kScheduleKnobs{
    "swap", "consumers", "pingpong", "cluster_m", "cluster_n", "reduce", "blocks"};

constexpr std::array<std::string_view, 5> kCutKnobs{"consumers", "pingpong", "reduce", "blocks",
                                                    "temporaries"};

using Schedule = std::tuple<std::string, int, std::array<int, kScheduleKnobs.size()>>;

// Zeros for knobs that the family does not have.
template <std::size_t kCount>
std::array<int, kCount> ValuesOf(const Candidate& candidate,
                                 const std::array<std::string_view, kCount>& knobs) {
  std::array<int, kCount> values{};
  for (const auto& [knob, value] : candidate.config.knobs) {
    const auto at = std::find(knobs.begin(), knobs.end(), knob);
    if (at != knobs.end()) {
      values.at(static_cast<std::size_t>(at - knobs.begin())) = value;
    }
  }
  return values;
}

Schedule ScheduleOf(const Candidate& candidate) {
  return {candidate.config.family, candidate.resources.split_k,
          ValuesOf(candidate, kScheduleKnobs)};
}

// How blocks cut D and share k, whatever order or cluster they come in.
using Cut = std::tuple<std::string, int, int, int, std::array<int, kCutKnobs.size()>>;

Cut CutOf(const Candidate& candidate) {
  const Resources& r = candidate.resources;
  return {candidate.config.family, r.split_k, r.tile_m, r.tile_n, ValuesOf(candidate, kCutKnobs)};
}

class Selection {
 public:
  Selection(std::size_t size, std::size_t limit) : taken_(size, false), limit_(limit) {}

  [[nodiscard]] std::size_t count() const { return count_; }

  [[nodiscard]] bool Has(std::size_t i) const { return taken_[i]; }

  void Take(std::size_t i) {
    if (!taken_[i] && count_ < limit_) {
      taken_[i] = true;
      ++count_;
    }
  }

 private:
  std::vector<bool> taken_;
  std::size_t limit_;
  std::size_t count_ = 0;
};

void TakeFamilies(const std::vector<Candidate>& ranked, Selection& selection) {
  std::set<std::string> families;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (families.insert(ranked[i].config.family).second) {
      selection.Take(i);
    }
  }
}

void TakeSeeds(const std::vector<Candidate>& ranked,
               const std::vector<std::string>& seeds,
               std::size_t limit,
               Selection& selection) {
  for (std::size_t i = 0; i < std::min(limit, seeds.size()); ++i) {
    const auto at = std::find_if(ranked.begin(), ranked.end(), [&](const Candidate& candidate) {
      return candidate.id == seeds[i];
    });
    if (at != ranked.end()) {
      selection.Take(static_cast<std::size_t>(at - ranked.begin()));
    }
  }
}

// The fastest of each class, as long as its prediction is below `horizon` times the best.
template <class ClassOf>
void TakeClasses(const std::vector<Candidate>& ranked,
                 std::size_t limit,
                 double horizon,
                 ClassOf class_of,
                 Selection& selection) {
  std::set<decltype(class_of(ranked.front()))> classes;
  const double horizon_ns = horizon * ranked.front().predicted_ns;
  const std::size_t stop = selection.count() + limit;
  for (std::size_t i = 0; i < ranked.size() && selection.count() < stop; ++i) {
    if (ranked[i].predicted_ns > horizon_ns) {
      return;
    }
    if (classes.insert(class_of(ranked[i])).second) {
      selection.Take(i);
    }
  }
}

// Draws from what the model would not have taken. The engine's raw output is the same with every
// standard library; its distributions are not.
void TakeRandom(std::size_t size, std::size_t draws, std::uint64_t seed, Selection& selection) {
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < size; ++i) {
    if (!selection.Has(i)) {
      rest.push_back(i);
    }
  }
  std::mt19937_64 engine(seed);
  for (std::size_t drawn = 0; drawn < draws && !rest.empty(); ++drawn) {
    const std::size_t at = engine() % rest.size();
    selection.Take(rest[at]);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

}  // namespace

std::vector<Candidate> SelectCandidates(const std::vector<Candidate>& ranked,
                                        int n,
                                        std::uint64_t seed,
                                        const std::vector<std::string>& seeds) {
  TW_CHECK(n >= 1);
  const std::size_t limit = std::min(ranked.size(), static_cast<std::size_t>(n));
  if (limit == ranked.size()) {
    return ranked;
  }
  Selection selection(ranked.size(), limit);
  selection.Take(0);
  TakeFamilies(ranked, selection);
  TakeSeeds(ranked, seeds, limit / 3, selection);
  TakeClasses(ranked, limit / 4, kScheduleHorizon, ScheduleOf, selection);
  TakeClasses(ranked, limit / 2, kCutHorizon, CutOf, selection);
  const std::size_t draws = std::min(limit / 10, limit - selection.count());
  for (std::size_t i = 0; i < ranked.size() && selection.count() < limit - draws; ++i) {
    selection.Take(i);
  }
  TakeRandom(ranked.size(), draws, seed, selection);

  std::vector<Candidate> selected;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (selection.Has(i)) {
      selected.push_back(ranked[i]);
    }
  }
  return selected;
}

namespace {

// The places in `ranked` of what is not known, in ranking order.
std::vector<std::size_t> Untried(const std::vector<Candidate>& ranked, const KnownTimes& known) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (!known.contains(ranked[i].id)) {
      places.push_back(i);
    }
  }
  return places;
}

std::vector<Candidate> At(const std::vector<Candidate>& ranked, std::vector<std::size_t> places) {
  std::sort(places.begin(), places.end());
  std::vector<Candidate> candidates;
  candidates.reserve(places.size());
  for (const std::size_t place : places) {
    candidates.push_back(ranked[place]);
  }
  return candidates;
}

// The top quarter, and evenly from the rest: every class and every order of speed is there.
std::vector<Candidate> Sample(const std::vector<Candidate>& ranked,
                              const KnownTimes& known,
                              std::size_t limit) {
  std::vector<std::size_t> places;
  const std::size_t count = std::min(limit, ranked.size());
  const std::size_t top = count == ranked.size() ? count : count / 4;
  for (std::size_t i = 0; i < top; ++i) {
    places.push_back(i);
  }
  const std::size_t rest = count - top;
  for (std::size_t i = 0; i < rest; ++i) {
    places.push_back(top + i * (ranked.size() - top) / rest);
  }
  std::erase_if(places, [&](std::size_t place) { return known.contains(ranked[place].id); });
  return At(ranked, std::move(places));
}

std::vector<MeasuredCandidate> Measured(const std::vector<Candidate>& ranked,
                                        const KnownTimes& known) {
  std::vector<MeasuredCandidate> measured;
  for (const Candidate& candidate : ranked) {
    const auto at = known.find(candidate.id);
    if (at != known.end() && at->second) {
      measured.push_back({&candidate, *at->second});
    }
  }
  return measured;
}

// At most `count` of the untried that promise most, if any promises enough.
std::vector<Candidate> MostPromising(const std::vector<Candidate>& ranked,
                                     const KnownTimes& known,
                                     const std::vector<PastCandidate>& past,
                                     std::size_t count) {
  const std::vector<MeasuredCandidate> measured = Measured(ranked, known);
  std::vector<MeasuredCandidate> evidence = measured;
  for (const PastCandidate& other : past) {
    evidence.push_back({&other.candidate, other.time_ns, other.weight});
  }
  std::vector<std::size_t> places = Untried(ranked, known);
  const std::vector<double> promise = CorrectedNs(ranked, evidence);
  if (!measured.empty()) {
    const double best_ns =
        std::min_element(measured.begin(), measured.end(), [](const auto& a, const auto& b) {
          return a.time_ns < b.time_ns;
        })->time_ns;
    std::erase_if(places,
                  [&](std::size_t place) { return promise[place] > kHopelessShare * best_ns; });
  }
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return promise[a] < promise[b]; });
  places.resize(std::min(places.size(), count));
  return At(ranked, std::move(places));
}

}  // namespace

std::vector<Candidate> NextBatch(const std::vector<Candidate>& ranked,
                                 const KnownTimes& known,
                                 const StrategyOptions& options) {
  TW_CHECK(options.max_candidates >= 1);
  const auto limit = static_cast<std::size_t>(options.max_candidates);
  if (ranked.empty()) {
    return {};
  }
  if (options.strategy == Strategy::kExhaustive) {
    return Sample(ranked, known, limit);
  }
  if (ranked.size() <= limit) {
    return At(ranked, Untried(ranked, known));
  }
  if (known.size() >= limit) {
    return {};
  }
  // So few teach nothing about others.
  constexpr std::size_t kTooFewForBatches = 20;
  const std::size_t first = limit < kTooFewForBatches ? limit : limit * 3 / 5;
  // An earlier attempt may have ended within the first batch.
  if (known.size() < first) {
    std::vector<Candidate> batch =
        SelectCandidates(ranked, static_cast<int>(first), options.seed, options.experience.seeds);
    std::erase_if(batch, [&](const Candidate& candidate) { return known.contains(candidate.id); });
    if (!batch.empty()) {
      return batch;
    }
  }
  const std::size_t fifth = std::max<std::size_t>(limit / 5, 1);
  return MostPromising(ranked, known, options.experience.past,
                       std::min(fifth, limit - known.size()));
}

}  // namespace tw
