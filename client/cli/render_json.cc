// SPDX-License-Identifier: Apache-2.0
#include "client/cli/render_json.h"

#include <nlohmann/json.hpp>

namespace tw::cli {
namespace {

using Json = nlohmann::ordered_json;

// Text from elsewhere that is not UTF-8 must not throw.
std::string Dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json OrNull(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json TypeJson(v1::DataType type) {
  return type == v1::DATA_TYPE_UNSPECIFIED ? Json(nullptr) : Json(Name(type));
}

Json OperandJson(const v1::Operand& operand) {
  const bool column = operand.major() == v1::MATRIX_MAJOR_COLUMN;
  return {
      {"dtype", TypeJson(operand.type())},
      {"major", column ? "col" : "row"},
      {"ld", operand.has_leading_dimension() ? Json(operand.leading_dimension()) : Json(nullptr)},
      {"batch_stride", operand.has_batch_stride() ? Json(operand.batch_stride()) : Json(nullptr)},
      {"align_bytes", operand.has_align_bytes() ? operand.align_bytes() : 16},
  };
}

template <class Enum>
std::string NameOr(Enum value, std::string_view unset) {
  return std::string(static_cast<int>(value) == 0 ? unset : Name(value));
}

Json KeyJson(const v1::Key& key, const std::string& text) {
  const v1::GemmProblem& p = key.problem();
  const v1::NumericsContract& contract = key.contract();
  return {
      {"text", OrNull(text)},
      {"m", p.m()},
      {"n", p.n()},
      {"k", p.k()},
      {"batch", p.has_batch() ? p.batch() : 1},
      {"layout", LayoutText(p.a().major(), p.b().major())},
      {"a", OperandJson(p.a())},
      {"b", OperandJson(p.b())},
      {"c", OperandJson(p.c())},
      {"d", OperandJson(p.d())},
      {"acc", TypeJson(p.accumulate())},
      {"alpha", NameOr(p.alpha(), "one")},
      {"beta", NameOr(p.beta(), "zero")},
      {"bias", NameOr(p.bias(), "none")},
      {"act", p.activation().empty() ? "none" : p.activation()},
      {"scale", NameOr(p.scale(), "none")},
      {"fp8_accumulate", p.fp8_fast_accumulate() ? "fast" : "precise"},
      {"objective", NameOr(key.objective(), "cold")},
      {"deterministic", !contract.has_deterministic() || contract.deterministic()},
      {"batch_invariant", contract.batch_invariant()},
      {"arch", OrNull(key.arch())},
      {"device_uuid", OrNull(key.device_uuid())},
  };
}

Json LaunchesJson(const v1::TuneResult& result) {
  Json launches = Json::array();
  for (const v1::KernelLaunch& launch : result.launches()) {
    launches.push_back({
        {"entry", launch.entry()},
        {"grid", std::vector<unsigned>(launch.grid().begin(), launch.grid().end())},
        {"block", std::vector<unsigned>(launch.block().begin(), launch.block().end())},
        {"dynamic_smem_bytes", launch.dynamic_smem_bytes()},
    });
  }
  return launches;
}

Json ConditionsJson(const v1::TuneResult& result) {
  if (!result.has_conditions() || result.state() == v1::RESULT_STATE_PREDICTED) {
    return nullptr;
  }
  const v1::Conditions& at = result.conditions();
  return {{"sm_clock_mhz", at.sm_clock_mhz()},
          {"temperature_c", at.temperature_c()},
          {"power_w", at.power_w()},
          {"power_limit_w", at.power_limit_w()},
          {"throttle_reasons", at.throttle_reasons()}};
}

Json PhasesJson(const v1::PhaseTimes& phases) {
  const double mean = phases.compiled() > 0 ? phases.compile_cpu_s() / phases.compiled() : 0;
  return {{"enumerate_s", phases.enumerate_s()},     {"compile_s", phases.compile_wall_s()},
          {"compile_cpu_s", phases.compile_cpu_s()}, {"compiled", phases.compiled()},
          {"compile_cpu_s_per_kernel", mean},        {"verify_s", phases.verify_s()},
          {"measure_s", phases.measure_s()},         {"total_s", phases.total_s()}};
}

Json FunnelJson(const v1::TuneResult& result) {
  // A sorted map, so that the object has one spelling.
  nlohmann::json funnel = nlohmann::json::object();
  for (const auto& [stage, count] : result.funnel()) {
    funnel[stage] = count;
  }
  return funnel;
}

// The members that tune and lookup share.
void AddResult(Json& json, const v1::TuneResult& result) {
  const bool measured = !result.empty_problem() && result.state() != v1::RESULT_STATE_PREDICTED;
  json["state"] = result.empty_problem() ? "EMPTY" : std::string(Name(result.state()));
  json["empty_problem"] = result.empty_problem();
  json["partial"] = result.partial();
  json["candidate_id"] = OrNull(result.candidate_id());
  json["config"] = OrNull(result.config());
  json["time_ns"] = result.time_ns();
  json["tflops"] = result.tflops();
  json["ci_ns"] = measured ? Json({result.ci_low_ns(), result.ci_high_ns()}) : Json(nullptr);
  json["spread"] = measured && result.time_ns() > 0
                       ? Json((result.ci_high_ns() - result.ci_low_ns()) / result.time_ns())
                       : Json(nullptr);
  json["error_ratio"] = measured ? Json(result.error_ratio()) : Json(nullptr);
  json["ties"] = std::vector<std::string>(result.ties().begin(), result.ties().end());
  json["launches"] = LaunchesJson(result);
  json["workspace_bytes"] = result.workspace_bytes();
  json["source_digest"] = OrNull(result.source_digest());
  json["funnel"] = FunnelJson(result);
  json["conditions"] = ConditionsJson(result);
  json["phases"] = PhasesJson(result.phases());
  json["device"] = {{"uuid", OrNull(result.device_uuid())},
                    {"name", OrNull(result.device_name())},
                    {"class", OrNull(result.device_class())},
                    {"driver_version", result.driver_version()}};
  json["compiler"] = OrNull(result.compiler());
  json["template_digest"] = OrNull(result.template_digest());
  json["created_micros"] = result.created_micros();
}

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
  json["key"] = KeyJson(key, operation.result().key_text());
  AddResult(json, operation.result());
  json["from_store"] = operation.from_store();
  json["daemon_ms"] = operation.daemon_ms();
  json["operation"] = OrNull(operation.name());
  json["attempts"] = operation.attempts();
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
