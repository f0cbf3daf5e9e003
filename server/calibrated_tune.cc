// SPDX-License-Identifier: Apache-2.0
#include "server/calibrated_tune.h"

#include <utility>

namespace tw {

TuneFunction CalibrateFirst(TuneFunction tune,
                            Calibrator& calibrator,
                            const DeviceInventory& devices,
                            CalibrationTrouble trouble) {
  return [tune = std::move(tune), &calibrator, &devices, trouble = std::move(trouble)](
             const TuneSpec& spec, const auto& observer, const std::stop_token& stop) {
    const std::string& uuid = spec.device.uuid;
    if (uuid.empty())
      return tune(spec, observer, stop);
    const Status calibrated = calibrator.Ensure(uuid, stop);
    if (!calibrated.ok() && !stop.stop_requested() && trouble)
      trouble(uuid, calibrated);
    TuneSpec now = spec;
    if (auto device = devices.Resolve(uuid, ""); device.ok())
      now.device = *std::move(device);
    return tune(now, observer, stop);
  };
}

}  // namespace tw
