// SPDX-License-Identifier: Apache-2.0
#include "tuner/finalists.h"

#include <algorithm>
#include <tuple>

#include "codegen/core/check.h"

namespace tw {

int RegistersOf(const CandidateReport& report) {
  int most = 0;
  for (const EntryResources& entry : report.compiled) {
    most = std::max(most, entry.registers);
  }
  return most;
}

namespace {

bool Simpler(const CandidateReport& a, const CandidateReport& b) {
  const auto rank = [](const CandidateReport& report) {
    return std::make_tuple(report.resources.split_k > 1, report.resources.smem_bytes,
                           RegistersOf(report), report.candidate_id);
  };
  return rank(a) < rank(b);
}

struct Contender {
  std::size_t index = 0;
  double time_ns = 0;
};

// `tied` holds the contenders in the order of their times, the fastest first.
Choice BreakTie(std::span<const CandidateReport> reports, const std::vector<Contender>& tied) {
  Choice choice{.winner = tied.front().index, .ties = {}};
  for (const Contender& contender : tied) {
    const bool close = contender.time_ns <= kTieBreakShare * tied.front().time_ns;
    if (close && Simpler(reports[contender.index], reports[choice.winner])) {
      choice.winner = contender.index;
    }
  }
  for (const Contender& contender : tied) {
    if (contender.index != choice.winner) {
      choice.ties.push_back(reports[contender.index].candidate_id);
    }
  }
  return choice;
}

template <class TimeOf>
std::vector<Contender> SortedByTime(std::span<const CandidateReport> reports, TimeOf time_of) {
  TW_CHECK(!reports.empty());
  std::vector<Contender> order;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    order.push_back({.index = i, .time_ns = time_of(reports[i])});
  }
  std::sort(order.begin(), order.end(), [&](const Contender& a, const Contender& b) {
    return std::tie(a.time_ns, reports[a.index].candidate_id) <
           std::tie(b.time_ns, reports[b.index].candidate_id);
  });
  return order;
}

double SampleSeconds(double time_ns) {
  constexpr double kLeast = 3e-3;
  return std::max(kLeast, time_ns * 1e-9);
}

std::vector<const CandidateReport*> ByTime(std::span<const CandidateReport> reports) {
  std::vector<const CandidateReport*> measured;
  for (const CandidateReport& report : reports) {
    if (report.kind == OutcomeKind::kMeasured && report.measurement) {
      measured.push_back(&report);
    }
  }
  std::sort(measured.begin(), measured.end(), [](const auto* a, const auto* b) {
    return std::tie(a->measurement->median_ns, a->candidate_id) <
           std::tie(b->measurement->median_ns, b->candidate_id);
  });
  return measured;
}

std::vector<std::string> FirstIds(const std::vector<const CandidateReport*>& reports,
                                  std::size_t n) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < std::min(n, reports.size()); ++i) {
    ids.push_back(reports[i]->candidate_id);
  }
  return ids;
}

}  // namespace

TieBreak TieBreakBetween(const CandidateReport& a, const CandidateReport& b) {
  if ((a.resources.split_k > 1) != (b.resources.split_k > 1)) {
    return TieBreak::kSplitK;
  }
  if (a.resources.smem_bytes != b.resources.smem_bytes) {
    return TieBreak::kSharedMemory;
  }
  return RegistersOf(a) != RegistersOf(b) ? TieBreak::kRegisters : TieBreak::kId;
}

std::vector<std::string> FastestMeasured(std::span<const CandidateReport> reports, std::size_t n) {
  return FirstIds(ByTime(reports), n);
}

std::vector<std::string> Entrants(std::span<const CandidateReport> reports,
                                  const EntryLimits& limits) {
  const std::vector<const CandidateReport*> measured = ByTime(reports);
  const auto close = [&](const CandidateReport* report) {
    return report->measurement->median_ns <= kEntryShare * measured.front()->measurement->median_ns;
  };
  const auto far = std::find_if_not(measured.begin(), measured.end(), close);
  const auto count = static_cast<std::size_t>(far - measured.begin());
  return FirstIds(measured, std::max(limits.least, std::min(count, limits.most)));
}

std::vector<Heat> HeatsBefore(const Heat& final) {
  constexpr Heat kSecond{.entrants = 8, .rounds = 7};
  std::vector<Heat> heats;
  if (kSecond.entrants > final.entrants) {
    heats.push_back(kSecond);
  }
  heats.push_back(final);
  return heats;
}

double HeatSeconds(const Heat& heat, double time_ns) {
  constexpr double kWarmUp = 0.3;
  return kWarmUp + static_cast<double>(heat.entrants) * heat.rounds * SampleSeconds(time_ns);
}

int RoundsThatFit(const Heat& heat, double time_ns, double seconds) {
  constexpr int kFewest = 3;
  int rounds = heat.rounds;
  while (rounds >= kFewest &&
         HeatSeconds({.entrants = heat.entrants, .rounds = rounds}, time_ns) > seconds) {
    --rounds;
  }
  return rounds >= kFewest ? rounds : 0;
}

namespace {

// The fastest, and those whose interval begins at most `share` times where the fastest's ends.
std::vector<Contender> Contending(std::span<const CandidateReport> finalists, double share) {
  std::vector<Contender> order =
      SortedByTime(finalists, [](const CandidateReport& r) { return r.measurement->median_ns; });
  const Measurement& fastest = *finalists[order.front().index].measurement;
  const double high_ns = share * std::max(fastest.ci_high_ns, fastest.median_ns);
  std::erase_if(order, [&](const Contender& contender) {
    const Measurement& m = *finalists[contender.index].measurement;
    const double low_ns = m.ci_low_ns > 0 ? std::min(m.ci_low_ns, m.median_ns) : m.median_ns;
    return low_ns > high_ns;
  });
  return order;
}

}  // namespace

std::vector<std::string> Overlapping(std::span<const CandidateReport> finalists) {
  std::vector<std::string> ids;
  for (const Contender& contender : Contending(finalists, 1)) {
    ids.push_back(finalists[contender.index].candidate_id);
  }
  return ids;
}

Choice ChooseMeasured(std::span<const CandidateReport> finalists) {
  return BreakTie(finalists, Contending(finalists, kRepeatability));
}

Choice ChoosePredicted(std::span<const CandidateReport> compiled) {
  std::vector<Contender> order =
      SortedByTime(compiled, [](const CandidateReport& r) { return r.predicted_ns; });
  const double lowest_ns = order.front().time_ns;
  std::erase_if(order, [&](const Contender& contender) { return contender.time_ns > lowest_ns; });
  return BreakTie(compiled, order);
}

}  // namespace tw
