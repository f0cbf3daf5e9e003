// SPDX-License-Identifier: Apache-2.0
#include "server/tuning_methods.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "server/convert.h"
#include "server/field_check.h"

namespace tw {
namespace {

constexpr std::size_t kListedOperations = 1000;

// The GPU that is named, or the first.
Result<std::string> GpuToCalibrate(const std::string& uuid, const DeviceInventory& devices) {
  TW_RETURN_IF_ERROR(CheckName("device_uuid", uuid));
  const auto list = devices.List();
  const auto live = std::find_if(list->devices.begin(), list->devices.end(),
                                 [](const LiveDevice& device) { return !device.lost; });
  if (live == list->devices.end()) {
    const std::string why = list->note.empty() ? "" : ": " + list->note;
    return Status(StatusCode::kFailedPrecondition,
                  "calibrating needs a GPU and there is none here" + why);
  }
  if (uuid.empty())
    return live->spec.uuid;
  TW_RETURN_IF_ERROR(devices.Resolve(uuid, "").status());
  return uuid;
}

}  // namespace

Status TuningMethods::StartTune(const v1::StartTuneRequest& request,
                                v1::Operation* response) const {
  const auto begin = deps_.clock.Now();
  TW_ASSIGN_OR_RETURN(TuneRequest tune, TuneRequestFromProto(request, deps_.devices));
  TW_ASSIGN_OR_RETURN(const Operation operation, deps_.admission.Start(std::move(tune)));
  ToProto(operation, response);
  response->set_daemon_ms(
      std::chrono::duration<double, std::milli>(deps_.clock.Now() - begin).count());
  return OkStatus();
}

Status TuningMethods::GetOperation(const v1::GetOperationRequest& request,
                                   v1::Operation* response) const {
  TW_ASSIGN_OR_RETURN(const std::string id, OperationIdFromProto(request.name()));
  const auto operation = deps_.hub.Find(id);
  if (!operation)
    return {StatusCode::kNotFound, "no operation " + request.name(), "name"};
  ToProto(*operation, response);
  return OkStatus();
}

Status TuningMethods::ListOperations(const v1::ListOperationsRequest& /*request*/,
                                     v1::ListOperationsResponse* response) const {
  for (const Operation& operation : deps_.hub.List(kListedOperations))
    ToProto(operation, response->add_operations());
  return OkStatus();
}

Status TuningMethods::CancelOperation(const v1::CancelOperationRequest& request,
                                      v1::Operation* response) const {
  TW_ASSIGN_OR_RETURN(const std::string id, OperationIdFromProto(request.name()));
  TW_ASSIGN_OR_RETURN(const Operation operation, deps_.queue.Cancel(id));
  ToProto(operation, response);
  return OkStatus();
}

Status TuningMethods::ListDevices(const v1::ListDevicesRequest& /*request*/,
                                  v1::ListDevicesResponse* response) const {
  const auto list = deps_.devices.List();
  for (const LiveDevice& device : list->devices)
    ToProto(device, response->add_devices());
  response->set_note(list->note);
  std::set<std::string> named;  // several reference devices share an arch
  for (const DeviceSpec& device : ReferenceDevices()) {
    if (named.insert(device.arch).second)
      response->add_known_archs(device.arch);
  }
  return OkStatus();
}

Status TuningMethods::GetStatus(const v1::GetStatusRequest& /*request*/,
                                v1::GetStatusResponse* response) const {
  response->set_version(deps_.facts.version);
  response->set_uptime_s(
      std::chrono::duration<double>(deps_.clock.Now() - deps_.facts.started).count());
  response->set_store_path(deps_.facts.store_path);
  const StoreStats stats = deps_.store.Stats();
  response->set_results(stats.results);
  response->set_reports(stats.reports);
  response->set_store_bytes(stats.bytes);
  const JobCounts jobs = deps_.queue.counts();
  response->set_queued(jobs.queued);
  response->set_running(jobs.running);
  response->set_compile_workers(deps_.facts.compile_workers);
  const Toolchain::Compiler& compiler = deps_.toolchain.compiler();
  response->set_compiler(compiler.version.empty() ? compiler.note : compiler.version);
  int devices = 0;
  for (const LiveDevice& device : deps_.devices.List()->devices)
    devices += device.lost ? 0 : 1;
  response->set_devices(devices);
  response->set_template_digest(deps_.toolchain.template_digest());
  response->set_pid(::getpid());
  return OkStatus();
}

Status TuningMethods::CalibrateDevice(const v1::CalibrateDeviceRequest& request,
                                      const std::stop_token& stop,
                                      v1::CalibrateDeviceResponse* response) const {
  TW_ASSIGN_OR_RETURN(const std::string uuid, GpuToCalibrate(request.device_uuid(), deps_.devices));
  TW_ASSIGN_OR_RETURN(const CalibratedDevice device, deps_.calibrator.Measure(uuid, stop));
  ToProto(device, response);
  return OkStatus();
}

}  // namespace tw
