// A calibration as text for people and as the stable JSON of docs/json.md. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tilewright/v1/tuning.pb.h"

namespace tw::cli {

namespace v1 = ::tilewright::v1;

// The four figures beside the table's, and the measured share of those.
std::string CalibrationText(const v1::CalibrateDeviceResponse& answer);

// One object, with a newline at the end.
std::string CalibrationJson(const v1::CalibrateDeviceResponse& answer);

}  // namespace tw::cli
