// A launch plan as JSON: one form for stored rows and repro folders.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "codegen/core/candidate.h"

namespace tw {

// An object with "launches", "workspace_bytes" and "workspace_zero_bytes".
nlohmann::json FromLaunch(const LaunchPlan& plan);

// Reads those members and passes over others; what rows of older builds lack has its default.
// Throws std::exception on any mismatch.
LaunchPlan ToLaunch(const nlohmann::json& json);

}  // namespace tw
