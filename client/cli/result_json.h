// The parts of JSON answers that several commands share (docs/json.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/json.h"
#include "client/cli/names.h"

namespace tw::cli {

// `text`: the canonical one, empty where it is not known.
Json KeyJson(const v1::Key& key, const std::string& text);

// Stages and reasons in alphabetical order.
Json FunnelJson(const v1::TuneResult& result);

// The members that tune and lookup share.
void AddResult(Json& json, const v1::TuneResult& result);

// Every member of a tune. Requires: operation.state() is SUCCEEDED.
void AddTune(Json& json, const v1::Key& key, const v1::Operation& operation);

}  // namespace tw::cli
