// Why a winner won, as JSON (docs/json.md). Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/names.h"
#include "tilewright/v1/lookup.pb.h"

namespace tw::cli {

std::string ExplainJson(const v1::Key& key, const v1::ExplainResponse& answer);

}  // namespace tw::cli
