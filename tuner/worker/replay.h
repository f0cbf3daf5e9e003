// tilewright-worker --replay FOLDER: judges the candidate of a repro folder again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>

#include "codegen/core/status.h"
#include "tuner/worker/gpu_pool.h"

namespace tw {

// Verifies and times it as the daemon did, on the same operands, in a worker of `pool` that may
// crash or hang: on the first GPU of the folder's architecture. Writes both verdicts. False: it
// fails again. An error: the folder cannot be read, or there is no such GPU.
Result<bool> ReplayRepro(const std::filesystem::path& folder,
                         const GpuPoolOptions& pool,
                         std::FILE* out);

}  // namespace tw
