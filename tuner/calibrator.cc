// SPDX-License-Identifier: Apache-2.0
#include "tuner/calibrator.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/calibration_source.h"

namespace tw {
namespace {

// A worker that died is no reason for a client to call the daemon again at once.
Status OfWorker(const Status& status) {
  if (status.code() != StatusCode::kUnavailable)
    return status;
  return {StatusCode::kAborted, status.message(), status.field()};
}

Status NotPlausible(const Status& status) {
  return {StatusCode::kAborted, status.message() + "; nothing was stored", status.field()};
}

}  // namespace

class Calibrator::Turn {
 public:
  // Waits for whoever has it. Cancelled: `stop` was requested.
  static Result<std::unique_ptr<Turn>> Wait(Calibrator& owner,
                                            const std::string& device_uuid,
                                            const std::stop_token& stop) {
    std::unique_lock lock(owner.mutex_);
    const bool free =
        owner.changed_.wait(lock, stop, [&] { return !owner.in_turn_.contains(device_uuid); });
    if (!free || stop.stop_requested())
      return Status(StatusCode::kCancelled, "the calibration was cancelled");
    owner.in_turn_.insert(device_uuid);
    return std::unique_ptr<Turn>(new Turn(owner, device_uuid));
  }

  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  ~Turn() {
    const std::lock_guard lock(owner_.mutex_);
    owner_.in_turn_.erase(device_uuid_);
    owner_.changed_.notify_all();
  }

 private:
  Turn(Calibrator& owner, std::string device_uuid)
      : owner_(owner), device_uuid_(std::move(device_uuid)) {}

  Calibrator& owner_;
  const std::string device_uuid_;
};

Result<CalibratedDevice> Calibrator::Measure(const std::string& device_uuid,
                                             const std::stop_token& stop) {
  TW_ASSIGN_OR_RETURN(const DeviceSpec device, Find(device_uuid));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<Turn> turn, Turn::Wait(*this, device_uuid, stop));
  return MeasureInTurn(device, stop);
}

Status Calibrator::Ensure(const std::string& device_uuid, const std::stop_token& stop) {
  TW_ASSIGN_OR_RETURN(const DeviceSpec device, Find(device_uuid));
  const auto is_stored = [&] {
    return deps_.store.FindCalibration(device_uuid, device.driver_version).has_value();
  };
  if (is_stored())
    return OkStatus();
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<Turn> turn, Turn::Wait(*this, device_uuid, stop));
  // Somebody else's turn may have just ended.
  if (is_stored() || FailedLately(device_uuid))
    return OkStatus();
  return MeasureInTurn(device, stop).status();
}

DeviceSpec Calibrator::Apply(const DeviceSpec& device) const {
  if (device.uuid.empty())
    return device;
  const std::optional<Calibration> stored =
      deps_.store.FindCalibration(device.uuid, device.driver_version);
  if (!stored)
    return device;
  Result<DeviceSpec> calibrated = Calibrated(device, *stored);
  return calibrated.ok() ? *std::move(calibrated) : device;
}

Result<DeviceSpec> Calibrator::Find(const std::string& device_uuid) {
  const std::vector<DeviceSpec> devices = deps_.benchmarker.Devices();
  const auto at = std::find_if(devices.begin(), devices.end(), [&](const DeviceSpec& device) {
    return device.uuid == device_uuid;
  });
  if (at == devices.end())
    return Status(StatusCode::kNotFound, "no GPU " + device_uuid + " that can measure",
                  "device_uuid");
  return *at;
}

Result<CalibratedDevice> Calibrator::MeasureInTurn(const DeviceSpec& device,
                                                   const std::stop_token& stop) {
  const auto measure = [&]() -> Result<CalibratedDevice> {
    TW_ASSIGN_OR_RETURN(const KernelSource source, BuildCalibrationSource(device, deps_.templates));
    TW_ASSIGN_OR_RETURN(const CompiledKernel kernels, deps_.compiler.Compile(source, stop));
    Result<Calibration> measured = deps_.benchmarker.Calibrate(device.uuid, kernels, stop);
    if (!measured.ok())
      return OfWorker(measured.status());
    measured->created_micros = deps_.clock.WallMicros();
    if (const Status plausible = CheckCalibration(device, *measured); !plausible.ok())
      return NotPlausible(plausible);
    TW_RETURN_IF_ERROR(deps_.store.PutCalibration(*measured));
    return CalibratedDevice{.device = device, .measured = *std::move(measured)};
  };
  Result<CalibratedDevice> result = measure();
  const std::lock_guard lock(mutex_);
  if (result.ok())
    failed_.erase(device.uuid);
  else if (result.status().code() != StatusCode::kCancelled)
    failed_[device.uuid] = deps_.clock.Now();
  return result;
}

bool Calibrator::FailedLately(const std::string& device_uuid) {
  const std::lock_guard lock(mutex_);
  const auto at = failed_.find(device_uuid);
  return at != failed_.end() && deps_.clock.Now() - at->second < kPatience;
}

}  // namespace tw
