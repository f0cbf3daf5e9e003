// Keeps what is known of each GPU: measures it once for each driver, or anew on demand, stores it
// and puts it into the specs that tunes and explanations go by. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>

#include "codegen/compile/compiler.h"
#include "codegen/core/calibration.h"
#include "codegen/core/clock.h"
#include "codegen/template_store.h"
#include "tuner/benchmarker.h"
#include "tuner/store/calibration_store.h"

namespace tw {

struct CalibratorDeps {
  const TemplateStore& templates;
  Compiler& compiler;
  Benchmarker& benchmarker;
  CalibrationStore& store;
  const Clock& clock;
};

struct CalibratedDevice {
  DeviceSpec device;  // with the table's values
  Calibration measured;
};

// Thread-safe. One calibration of a device at a time; whoever asks meanwhile waits for it.
class Calibrator {
 public:
  // How long Ensure leaves a device alone that could not be calibrated.
  static constexpr std::chrono::minutes kPatience{10};

  explicit Calibrator(CalibratorDeps deps) : deps_(deps) {}

  // Measures now and stores the result. Blocks until the GPU is free. Statuses:
  // NotFound           no such GPU
  // Unavailable        no compiler
  // Aborted            the GPU was busy, its worker died, or the result is not plausible: not
  // stored Cancelled          `stop` was requested ResourceExhausted, Internal  no room on the GPU
  // or the disk; otherwise what the GPU or the store
  //                    says
  Result<CalibratedDevice> Measure(const std::string& device_uuid, const std::stop_token& stop);

  // Measures unless the store has a calibration of the GPU under its driver. Ok also where one
  // failed less than kPatience ago, which was said then. Statuses as Measure.
  Status Ensure(const std::string& device_uuid, const std::stop_token& stop);

  // `device` with what is stored of it in effect; as it is where nothing is, or nothing plausible.
  // Reads memory only. Requires: `device` has the table's values.
  [[nodiscard]] DeviceSpec Apply(const DeviceSpec& device) const;

 private:
  // The right to calibrate a device, until it goes.
  class Turn;

  Result<DeviceSpec> Find(const std::string& device_uuid);
  Result<CalibratedDevice> MeasureInTurn(const DeviceSpec& device, const std::stop_token& stop);
  bool FailedLately(const std::string& device_uuid);

  CalibratorDeps deps_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::set<std::string> in_turn_;                           // devices that are being calibrated
  std::map<std::string, std::chrono::nanoseconds> failed_;  // when, by device
};

}  // namespace tw
