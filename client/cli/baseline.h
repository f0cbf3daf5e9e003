// A comparison with a library as it came over the wire, read safely: indices are a server's word.
// Pure. The pointers live as long as the report.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/cli/names.h"

namespace tw::cli {

// A library was asked for.
bool Compares(const v1::StartTuneRequest& request);

// The library's fastest right algorithm and its first choice; null where there is none.
const v1::BaselineAlgorithm* BestOf(const v1::BaselineReport& report);
const v1::BaselineAlgorithm* FirstOf(const v1::BaselineReport& report);

// The library's time over ours; null where nothing was compared.
const v1::RatioEstimate* OverBest(const v1::BaselineReport& report);
const v1::RatioEstimate* OverFirst(const v1::BaselineReport& report);

// Unset is hot.
v1::Regime RegimeOf(const v1::BaselineReport& report);

// Its product was wrong, or it could not be launched: it takes no part.
bool Excluded(const v1::BaselineAlgorithm& algorithm);

}  // namespace tw::cli
