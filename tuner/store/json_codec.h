// TuneResult and CandidateReport as JSON text: the bodies of the store's rows. Round trips are
// exact, doubles included; NaN and infinities travel as the texts "nan", "inf", "-inf". Bytes that
// are not UTF-8 (a compiler's log may hold some) become U+FFFD.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "codegen/core/outcome.h"
#include "codegen/core/status.h"

namespace tw {

std::string EncodeTuneResult(const TuneResult& result);
std::string EncodeReport(const CandidateReport& report);

// DataLoss: not JSON, or a field is missing, of another type or of an unknown value.
Result<TuneResult> DecodeTuneResult(std::string_view text);
Result<CandidateReport> DecodeReport(std::string_view text);

}  // namespace tw
