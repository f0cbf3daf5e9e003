// Random candidates of a problem.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <random>
#include <vector>

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"

namespace tw {

// Legal candidates of all families in turns, shuffled within each; at most `most`, of those that
// `only` accepts where it is given.
std::vector<Candidate> Draw(const GemmProblem& problem,
                            const DeviceSpec& device,
                            std::size_t most,
                            std::mt19937_64& rng,
                            const std::function<bool(const Candidate&)>& only = {});

}  // namespace tw
