// SPDX-License-Identifier: Apache-2.0
#include "client/cli/render_json.h"

#include <nlohmann/json.hpp>

#include "client/cli/json.h"
#include "client/cli/result_json.h"

namespace tw::cli {
namespace {

Json OperationJson(const v1::Operation& operation) {
  const v1::TuneProgress& progress = operation.progress();
  const bool failed = operation.state() == v1::OPERATION_STATE_FAILED;
  return {{"name", operation.name()},
          {"state", Name(operation.state())},
          {"key", operation.key_text()},
          {"attempts", operation.attempts()},
          {"created_micros", operation.created_micros()},
          {"progress",
           {{"phase", progress.phase()},
            {"total", progress.total()},
            {"compiled", progress.compiled()},
            {"measured", progress.measured()},
            {"failed", progress.failed()},
            {"best_ns", progress.best_ns()},
            {"best_id", OrNull(progress.best_id())}}},
          {"error", failed ? Json(operation.error_message()) : Json(nullptr)}};
}

}  // namespace

std::string TuneJson(const v1::Key& key, const v1::Operation& operation) {
  Json json;
  json["schema"] = "tilewright.tune.v1";
  AddTune(json, key, operation);
  return Dump(json);
}

std::string LookupJson(const v1::Key& key, const v1::TuneResult& result) {
  Json json;
  json["schema"] = "tilewright.lookup.v1";
  json["found"] = true;
  json["key"] = KeyJson(key, result.key_text());
  AddResult(json, result);
  return Dump(json);
}

std::string LookupMissJson(const v1::Key& key) {
  return Dump({{"schema", "tilewright.lookup.v1"}, {"found", false}, {"key", KeyJson(key, "")}});
}

std::string SourceJson(const v1::Key& key, const v1::GetSourceResponse& source) {
  return Dump({{"schema", "tilewright.source.v1"},
               {"key", KeyJson(key, "")},
               {"entry", source.entry()},
               {"source_digest", source.source_digest()},
               {"source", source.source()}});
}

std::string DevicesJson(const v1::ListDevicesResponse& devices) {
  Json list = Json::array();
  for (const v1::Device& device : devices.devices()) {
    list.push_back({{"name", device.name()},
                    {"uuid", device.uuid()},
                    {"arch", device.arch()},
                    {"sm_count", device.sm_count()},
                    {"memory_bytes", device.memory_bytes()},
                    {"class", device.device_class()},
                    {"driver_version", device.driver_version()},
                    {"state", device.state()}});
  }
  return Dump({{"schema", "tilewright.devices.v1"},
               {"devices", list},
               {"note", OrNull(devices.note())},
               {"known_archs", std::vector<std::string>(devices.known_archs().begin(),
                                                        devices.known_archs().end())}});
}

std::string StatusJson(const v1::GetStatusResponse& status) {
  return Dump({{"schema", "tilewright.status.v1"},
               {"version", status.version()},
               {"pid", status.pid()},
               {"uptime_s", status.uptime_s()},
               {"store", status.store_path()},
               {"results", status.results()},
               {"reports", status.reports()},
               {"store_bytes", status.store_bytes()},
               {"queued", status.queued()},
               {"running", status.running()},
               {"compile_workers", status.compile_workers()},
               {"compiler", status.compiler()},
               {"devices", status.devices()},
               {"template_digest", status.template_digest()}});
}

std::string JobsJson(const v1::ListOperationsResponse& operations) {
  Json list = Json::array();
  for (const v1::Operation& operation : operations.operations()) {
    list.push_back(OperationJson(operation));
  }
  return Dump({{"schema", "tilewright.jobs.v1"}, {"jobs", list}});
}

std::string JobJson(const v1::Operation& operation) {
  return Dump({{"schema", "tilewright.job.v1"}, {"job", OperationJson(operation)}});
}

std::string ChecksJson(const std::vector<Check>& checks) {
  Json list = Json::array();
  for (const Check& check : checks) {
    list.push_back({{"name", check.name},
                    {"level", Name(check.level)},
                    {"detail", check.detail},
                    {"advice", OrNull(check.advice)}});
  }
  return Dump({{"schema", "tilewright.doctor.v1"}, {"usable", Usable(checks)}, {"checks", list}});
}

std::string ErrorJson(const Status& status, ExitCode code) {
  return Dump({{"schema", "tilewright.error.v1"},
               {"code", StatusCodeName(status.code())},
               {"message", status.message()},
               {"exit", static_cast<int>(code)}});
}

std::string VersionJson(const BuildInfo& info) {
  return Dump({{"schema", "tilewright.version.v1"},
               {"version", info.version},
               {"build_type", info.build_type},
               {"compiler", info.compiler},
               {"rpc_library", info.rpc_library}});
}

}  // namespace tw::cli
