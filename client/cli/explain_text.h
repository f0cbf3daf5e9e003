// Why a winner won, as text for people. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/names.h"
#include "tilewright/v1/lookup.pb.h"

namespace tw::cli {

// The sentence, the funnel, the candidates that were measured or predicted, fastest first, and the
// failures by rule. At most 20 candidates, unless `all`: then the failures stand among them too.
std::string ExplainText(const v1::Key& key, const v1::ExplainResponse& answer, bool all);

// The one candidate of the answer, in full. Requires: answer.candidates_size() == 1.
std::string CandidateText(const v1::Key& key, const v1::ExplainResponse& answer);

}  // namespace tw::cli
