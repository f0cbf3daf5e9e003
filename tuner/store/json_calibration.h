// A Calibration as JSON text: the body of the store's row. Conventions of json_codec.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "codegen/core/calibration.h"
#include "codegen/core/status.h"

namespace tw {

std::string EncodeCalibration(const Calibration& calibration);

// DataLoss: not JSON, or a field is missing or of another type.
Result<Calibration> DecodeCalibration(std::string_view text);

}  // namespace tw
