// Times that no device can reach. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"

namespace tw {

// Nanoseconds below which a measured time is a failure to measure (or to launch): 1.2 times the
// device's peak rate of multiply-adds for the problem's types, or of memory. Of the `copies` sets
// that timing rotates over, the L2 may keep its size from one turn to the next; the rest must
// come from memory.
double ImpossiblyShortNs(const GemmProblem& problem, const DeviceSpec& device, std::int64_t copies);

}  // namespace tw
