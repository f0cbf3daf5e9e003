// A problem in one line for people. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/names.h"

namespace tw::cli {

// "4096 x 4096 x 4096 bf16 nt, batch 3, bias col, relu": what differs from the defaults.
std::string ProblemText(const v1::Key& key);

}  // namespace tw::cli
