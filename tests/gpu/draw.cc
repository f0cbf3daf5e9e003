// SPDX-License-Identifier: Apache-2.0
#include "draw.h"

#include <algorithm>

#include "codegen/families/registry.h"
#include "tuner/search/space.h"

namespace tw {

std::vector<Candidate> Draw(const GemmProblem& problem,
                            const DeviceSpec& device,
                            std::size_t most,
                            std::mt19937_64& rng,
                            const std::function<bool(const Candidate&)>& only) {
  std::vector<std::vector<Candidate>> legal;
  for (const KernelFamily* family : AllFamilies()) {
    legal.push_back(BuildSpace(problem, device, {}, family->name).candidates);
    std::erase_if(legal.back(), [&](const Candidate& c) { return only && !only(c); });
    std::shuffle(legal.back().begin(), legal.back().end(), rng);
  }
  std::vector<Candidate> drawn;
  for (std::size_t i = 0; i < most; ++i) {
    for (const std::vector<Candidate>& candidates : legal) {
      if (i < candidates.size() && drawn.size() < most)
        drawn.push_back(candidates[i]);
    }
  }
  return drawn;
}

}  // namespace tw
