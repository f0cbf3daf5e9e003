// A bench as one JSON object (docs/json.md). Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/bench.h"

namespace tw::cli {

std::string BenchJson(const Bench& bench);

}  // namespace tw::cli
