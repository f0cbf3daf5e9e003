// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/rank.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tuner/search/cost_model.h"

namespace tw {

void RankCandidates(const GemmProblem& problem,
                    const DeviceSpec& device,
                    std::vector<Candidate>& candidates) {
  for (Candidate& candidate : candidates) {
    Prediction prediction = PredictTime(problem, device, candidate);
    candidate.predicted_ns = prediction.time_ns;
    candidate.predicted_bound = std::move(prediction.bound);
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.predicted_ns, a.id) < std::tie(b.predicted_ns, b.id);
  });
}

}  // namespace tw
