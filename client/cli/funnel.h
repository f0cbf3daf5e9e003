// The funnel's counters in the order in which candidates pass them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/names.h"

namespace tw::cli {

// "space 1204, pruned 1100 (smem 700, registers 400), compiled 40, measured 38, wrong_result 2".
// A stage without a counter of its own is the sum of its reasons ("pruned:smem"); zeros are left
// out.
std::string FunnelText(const v1::TuneResult& result);

}  // namespace tw::cli
