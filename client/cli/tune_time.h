// Where the time of a tune went.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "client/cli/names.h"

namespace tw::cli {

// Share of a measured tune's time in which it neither verified nor measured: the GPU waited for
// compilers. 1 - (verify + measure) / total, at least 0; none where nothing was measured.
std::optional<double> GpuIdleShare(const v1::TuneResult& result);

}  // namespace tw::cli
