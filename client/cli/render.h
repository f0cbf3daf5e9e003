// Answers as text for people. Pure: messages in, text out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/checks.h"
#include "client/cli/names.h"

namespace tw::cli {

// The end of a tune. Requires: operation.state() is SUCCEEDED.
std::string TuneText(const v1::Key& key, const v1::Operation& operation);

std::string LookupText(const v1::Key& key, const v1::TuneResult& result);
std::string DevicesText(const v1::ListDevicesResponse& devices);
std::string StatusText(const v1::GetStatusResponse& status);
std::string JobsText(const v1::ListOperationsResponse& operations);
std::string ChecksText(const std::vector<Check>& checks);

}  // namespace tw::cli
