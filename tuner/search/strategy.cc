// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/strategy.h"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "codegen/core/check.h"

namespace tw {
namespace {

// A class that is predicted slower than this many times the best is not represented.
constexpr double kScheduleHorizon = 3.0;
constexpr double kCutHorizon = 1.25;

// Knobs that decide how blocks share and order their work; what else differs are sizes.
constexpr std::array<std::string_view, 7> kScheduleKnobs{
    "swap", "consumers", "pingpong", "cluster_m", "cluster_n", "reduce", "blocks"};

constexpr std::array<std::string_view, 4> kCutKnobs{"consumers", "pingpong", "reduce", "blocks"};

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
                                        std::uint64_t seed) {
  TW_CHECK(n >= 1);
  const std::size_t limit = std::min(ranked.size(), static_cast<std::size_t>(n));
  if (limit == ranked.size()) {
    return ranked;
  }
  Selection selection(ranked.size(), limit);
  selection.Take(0);
  TakeFamilies(ranked, selection);
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

}  // namespace tw
