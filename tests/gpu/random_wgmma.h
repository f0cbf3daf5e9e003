// Random problems and configurations of family wgmma_tma: sizes around every step of a tile, any
// legal configuration and not only those that the space offers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <random>

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"

namespace tw {

using Rng = std::mt19937_64;

GemmProblem RandomWgmmaProblem(Rng& rng);

// Nothing where luck did not find a legal one.
std::optional<Candidate> RandomWgmmaCandidate(const GemmProblem& problem,
                                              const DeviceSpec& device,
                                              Rng& rng);

}  // namespace tw
