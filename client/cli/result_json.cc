// SPDX-License-Identifier: Apache-2.0
#include "client/cli/result_json.h"

#include <nlohmann/json.hpp>

#include "client/cli/baseline_json.h"
#include "client/cli/tune_time.h"

namespace tw::cli {
namespace {

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

// Of a repeated field.
template <class Field>
Json ArrayJson(const Field& field) {
  Json array = Json::array();
  for (const auto value : field) {
    array.push_back(value);
  }
  return array;
}

Json TensorMapsJson(const v1::KernelLaunch& launch) {
  Json maps = Json::array();
  for (const v1::TensorMap& map : launch.tensor_maps()) {
    maps.push_back({
        {"operand", Name(map.operand())},
        {"type", Name(map.type())},
        {"dims", ArrayJson(map.dims())},
        {"strides", ArrayJson(map.strides())},
        {"box", ArrayJson(map.box())},
        {"swizzle_bytes", map.swizzle_bytes()},
        {"l2_promotion_bytes", map.l2_promotion_bytes()},
    });
  }
  return maps;
}

Json LaunchesJson(const v1::TuneResult& result) {
  Json launches = Json::array();
  for (const v1::KernelLaunch& launch : result.launches()) {
    launches.push_back({
        {"entry", launch.entry()},
        {"grid", ArrayJson(launch.grid())},
        {"block", ArrayJson(launch.block())},
        {"dynamic_smem_bytes", launch.dynamic_smem_bytes()},
        {"cluster", launch.cluster().empty() ? Json({1, 1, 1}) : ArrayJson(launch.cluster())},
        {"cooperative", launch.cooperative()},
        {"programmatic", launch.programmatic()},
        {"tensor_maps", TensorMapsJson(launch)},
    });
  }
  return launches;
}

Json MeasuredConditionsJson(const v1::TuneResult& result) {
  const bool measured = result.has_conditions() && result.state() != v1::RESULT_STATE_PREDICTED;
  return measured ? ConditionsJson(result.conditions()) : Json(nullptr);
}

Json PhasesJson(const v1::TuneResult& result) {
  const v1::PhaseTimes& phases = result.phases();
  const std::optional<double> idle = GpuIdleShare(result);
  const double mean = phases.compiled() > 0 ? phases.compile_cpu_s() / phases.compiled() : 0;
  return {{"enumerate_s", phases.enumerate_s()},
          {"compile_s", phases.compile_wall_s()},
          {"compile_cpu_s", phases.compile_cpu_s()},
          {"compiled", phases.compiled()},
          {"compile_cpu_s_per_kernel", mean},
          {"verify_s", phases.verify_s()},
          {"measure_s", phases.measure_s()},
          {"total_s", phases.total_s()},
          {"gpu_idle_share", idle ? Json(*idle) : Json(nullptr)}};
}

}  // namespace

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

Json FunnelJson(const v1::TuneResult& result) {
  // A sorted map, so that the object has one spelling.
  nlohmann::json funnel = nlohmann::json::object();
  for (const auto& [stage, count] : result.funnel()) {
    funnel[stage] = count;
  }
  return funnel;
}

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
  json["workspace_zero_bytes"] = result.workspace_zero_bytes();
  json["source_digest"] = OrNull(result.source_digest());
  json["funnel"] = FunnelJson(result);
  json["conditions"] = MeasuredConditionsJson(result);
  json["phases"] = PhasesJson(result);
  json["device"] = {{"uuid", OrNull(result.device_uuid())},
                    {"name", OrNull(result.device_name())},
                    {"class", OrNull(result.device_class())},
                    {"driver_version", result.driver_version()}};
  json["compiler"] = OrNull(result.compiler());
  json["template_digest"] = OrNull(result.template_digest());
  json["baseline"] = result.has_baseline() ? BaselineJson(result.baseline()) : Json(nullptr);
  json["created_micros"] = result.created_micros();
}

void AddTune(Json& json, const v1::Key& key, const v1::Operation& operation) {
  json["key"] = KeyJson(key, operation.result().key_text());
  AddResult(json, operation.result());
  json["from_store"] = operation.from_store();
  json["daemon_ms"] = operation.daemon_ms();
  json["operation"] = OrNull(operation.name());
  json["attempts"] = operation.attempts();
}

}  // namespace tw::cli
