// Tunes on devices that are calibrated first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "codegen/core/status.h"
#include "server/device_inventory.h"
#include "server/job_queue.h"
#include "tuner/calibrator.h"

namespace tw {

// Why a GPU has no calibration; the tune goes on by the table's values.
using CalibrationTrouble = std::function<void(const std::string& device_uuid, const Status&)>;

// `tune` after its GPU was calibrated, where that was not done yet: before its clock starts, so
// that the second which it takes is not the tune's. The device is what `devices` has then: a job
// that has waited knows an older one. `calibrator` and `devices` outlive the result.
TuneFunction CalibrateFirst(TuneFunction tune,
                            Calibrator& calibrator,
                            const DeviceInventory& devices,
                            CalibrationTrouble trouble);

}  // namespace tw
