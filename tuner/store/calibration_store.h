// CalibrationStore seam: what was measured of the devices, beside the results. The stores of
// results implement it, too; one contract test runs on both. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "codegen/core/calibration.h"
#include "codegen/core/status.h"

namespace tw {

// Thread-safe.
class CalibrationStore {
 public:
  virtual ~CalibrationStore() = default;

  // Replaces the one of the same device and driver. Durable when it returns. ResourceExhausted: the
  // disk is full; Internal otherwise.
  virtual Status PutCalibration(const Calibration& calibration) = 0;

  // Reads memory only.
  [[nodiscard]] virtual std::optional<Calibration> FindCalibration(std::string_view device_uuid,
                                                                   int driver_version) const = 0;
};

}  // namespace tw
