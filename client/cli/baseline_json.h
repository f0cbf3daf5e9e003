// A comparison with a library as JSON (docs/json.md). Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/cli/json.h"
#include "client/cli/names.h"

namespace tw::cli {

Json ConditionsJson(const v1::Conditions& at);
Json BaselineJson(const v1::BaselineReport& report);

}  // namespace tw::cli
