// SPDX-License-Identifier: Apache-2.0
#include "tuner/store/json_codec.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace tw {
namespace {

using Json = nlohmann::json;

// JSON has no NaN or infinity.
Json FromDouble(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  return value;
}

// The decoders below throw std::exception on any mismatch; Decode() turns that into a Status.
double ToDouble(const Json& json) {
  if (!json.is_string()) {
    return json.get<double>();
  }
  const auto& text = json.get_ref<const std::string&>();
  if (text == "nan") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (text == "inf" || text == "-inf") {
    return text[0] == '-' ? -std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::infinity();
  }
  throw std::invalid_argument("not a number: " + text);
}

template <class Enum>
Enum ToEnum(const Json& json, std::optional<Enum> (*parse)(std::string_view)) {
  const auto& text = json.get_ref<const std::string&>();
  const std::optional<Enum> value = parse(text);
  if (!value) {
    throw std::invalid_argument("unknown value: " + text);
  }
  return *value;
}

// No configuration at all (a report that never got one) is the empty text.
std::string FromConfig(const KernelConfig& config) {
  return config == KernelConfig() ? std::string() : Text(config);
}

KernelConfig ToConfig(const Json& json) {
  if (json.get_ref<const std::string&>().empty()) {
    return {};
  }
  Result<KernelConfig> config = ParseKernelConfig(json.get_ref<const std::string&>());
  if (!config.ok()) {
    throw std::invalid_argument(config.status().message());
  }
  return *std::move(config);
}

Json FromResources(const Resources& r) {
  return {{"threads", r.threads},
          {"smem_bytes", r.smem_bytes},
          {"regs_estimate", r.regs_estimate},
          {"tiles", r.tiles},
          {"blocks", r.blocks},
          {"split_k", r.split_k},
          {"stages", r.stages},
          {"tile_m", r.tile_m},
          {"tile_n", r.tile_n},
          {"tile_k", r.tile_k},
          {"workspace_bytes", r.workspace_bytes}};
}

Resources ToResources(const Json& json) {
  Resources r;
  json.at("threads").get_to(r.threads);
  json.at("smem_bytes").get_to(r.smem_bytes);
  json.at("regs_estimate").get_to(r.regs_estimate);
  json.at("tiles").get_to(r.tiles);
  json.at("blocks").get_to(r.blocks);
  json.at("split_k").get_to(r.split_k);
  json.at("stages").get_to(r.stages);
  json.at("tile_m").get_to(r.tile_m);
  json.at("tile_n").get_to(r.tile_n);
  json.at("tile_k").get_to(r.tile_k);
  json.at("workspace_bytes").get_to(r.workspace_bytes);
  return r;
}

Json FromEntry(const EntryResources& e) {
  return {{"entry", e.entry},
          {"registers", e.registers},
          {"spill_store_bytes", e.spill_store_bytes},
          {"spill_load_bytes", e.spill_load_bytes},
          {"stack_bytes", e.stack_bytes},
          {"static_smem_bytes", e.static_smem_bytes}};
}

EntryResources ToEntry(const Json& json) {
  EntryResources e;
  json.at("entry").get_to(e.entry);
  json.at("registers").get_to(e.registers);
  json.at("spill_store_bytes").get_to(e.spill_store_bytes);
  json.at("spill_load_bytes").get_to(e.spill_load_bytes);
  json.at("stack_bytes").get_to(e.stack_bytes);
  json.at("static_smem_bytes").get_to(e.static_smem_bytes);
  return e;
}

Json FromConditions(const Conditions& c) {
  return {{"sm_clock_mhz", FromDouble(c.sm_clock_mhz)},
          {"temperature_c", FromDouble(c.temperature_c)},
          {"power_w", FromDouble(c.power_w)},
          {"power_limit_w", FromDouble(c.power_limit_w)},
          {"throttle_reasons", c.throttle_reasons}};
}

Conditions ToConditions(const Json& json) {
  Conditions c;
  c.sm_clock_mhz = ToDouble(json.at("sm_clock_mhz"));
  c.temperature_c = ToDouble(json.at("temperature_c"));
  c.power_w = ToDouble(json.at("power_w"));
  c.power_limit_w = ToDouble(json.at("power_limit_w"));
  json.at("throttle_reasons").get_to(c.throttle_reasons);
  return c;
}

Json FromMeasurement(const Measurement& m) {
  Json samples = Json::array();
  for (const double sample : m.samples_ns) {
    samples.push_back(FromDouble(sample));
  }
  return {{"samples_ns", std::move(samples)},
          {"median_ns", FromDouble(m.median_ns)},
          {"ci_low_ns", FromDouble(m.ci_low_ns)},
          {"ci_high_ns", FromDouble(m.ci_high_ns)},
          {"min_ns", FromDouble(m.min_ns)},
          {"discarded", m.discarded},
          {"conditions", FromConditions(m.conditions)}};
}

Measurement ToMeasurement(const Json& json) {
  Measurement m;
  for (const Json& sample : json.at("samples_ns")) {
    m.samples_ns.push_back(ToDouble(sample));
  }
  m.median_ns = ToDouble(json.at("median_ns"));
  m.ci_low_ns = ToDouble(json.at("ci_low_ns"));
  m.ci_high_ns = ToDouble(json.at("ci_high_ns"));
  m.min_ns = ToDouble(json.at("min_ns"));
  json.at("discarded").get_to(m.discarded);
  m.conditions = ToConditions(json.at("conditions"));
  return m;
}

Json FromLaunch(const LaunchPlan& plan) {
  Json launches = Json::array();
  for (const KernelLaunch& launch : plan.launches) {
    launches.push_back({{"entry", launch.entry},
                        {"grid", launch.grid},
                        {"block", launch.block},
                        {"dynamic_smem_bytes", launch.dynamic_smem_bytes}});
  }
  return {{"launches", std::move(launches)}, {"workspace_bytes", plan.workspace_bytes}};
}

LaunchPlan ToLaunch(const Json& json) {
  LaunchPlan plan;
  for (const Json& item : json.at("launches")) {
    KernelLaunch launch;
    item.at("entry").get_to(launch.entry);
    item.at("grid").get_to(launch.grid);
    item.at("block").get_to(launch.block);
    item.at("dynamic_smem_bytes").get_to(launch.dynamic_smem_bytes);
    plan.launches.push_back(std::move(launch));
  }
  json.at("workspace_bytes").get_to(plan.workspace_bytes);
  return plan;
}

Json FromWinner(const Winner& w) {
  return {{"candidate_id", w.candidate_id},         {"config", FromConfig(w.config)},
          {"source_digest", w.source_digest},       {"launch", FromLaunch(w.launch)},
          {"time_ns", FromDouble(w.time_ns)},       {"ci_low_ns", FromDouble(w.ci_low_ns)},
          {"ci_high_ns", FromDouble(w.ci_high_ns)}, {"error_ratio", FromDouble(w.error_ratio)}};
}

Winner ToWinner(const Json& json) {
  Winner w;
  json.at("candidate_id").get_to(w.candidate_id);
  w.config = ToConfig(json.at("config"));
  json.at("source_digest").get_to(w.source_digest);
  w.launch = ToLaunch(json.at("launch"));
  w.time_ns = ToDouble(json.at("time_ns"));
  w.ci_low_ns = ToDouble(json.at("ci_low_ns"));
  w.ci_high_ns = ToDouble(json.at("ci_high_ns"));
  w.error_ratio = ToDouble(json.at("error_ratio"));
  return w;
}

Json FromKey(const ResultKey& key) {
  return {{"problem", key.problem},
          {"device_class", key.device_class},
          {"contract", key.contract},
          {"objective", key.objective}};
}

ResultKey ToKey(const Json& json) {
  ResultKey key;
  json.at("problem").get_to(key.problem);
  json.at("device_class").get_to(key.device_class);
  json.at("contract").get_to(key.contract);
  json.at("objective").get_to(key.objective);
  return key;
}

Json FromPhases(const PhaseTimes& p) {
  return {{"enumerate_s", FromDouble(p.enumerate_s)},
          {"compile_cpu_s", FromDouble(p.compile_cpu_s)},
          {"compile_wall_s", FromDouble(p.compile_wall_s)},
          {"verify_s", FromDouble(p.verify_s)},
          {"measure_s", FromDouble(p.measure_s)},
          {"total_s", FromDouble(p.total_s)},
          {"compiled", p.compiled}};
}

PhaseTimes ToPhases(const Json& json) {
  PhaseTimes p;
  p.enumerate_s = ToDouble(json.at("enumerate_s"));
  p.compile_cpu_s = ToDouble(json.at("compile_cpu_s"));
  p.compile_wall_s = ToDouble(json.at("compile_wall_s"));
  p.verify_s = ToDouble(json.at("verify_s"));
  p.measure_s = ToDouble(json.at("measure_s"));
  p.total_s = ToDouble(json.at("total_s"));
  json.at("compiled").get_to(p.compiled);
  return p;
}

Json FromReport(const CandidateReport& report) {
  Json compiled = Json::array();
  for (const EntryResources& entry : report.compiled) {
    compiled.push_back(FromEntry(entry));
  }
  Json json = {{"candidate_id", report.candidate_id},
               {"config", FromConfig(report.config)},
               {"kind", Name(report.kind)},
               {"rule", report.rule},
               {"detail", report.detail},
               {"resources", FromResources(report.resources)},
               {"predicted_ns", FromDouble(report.predicted_ns)},
               {"predicted_bound", report.predicted_bound},
               {"compiled", std::move(compiled)},
               {"error_ratio", FromDouble(report.error_ratio)},
               {"artifact_digest", report.artifact_digest}};
  if (report.measurement) {
    json["measurement"] = FromMeasurement(*report.measurement);
  }
  return json;
}

CandidateReport ToReport(const Json& json) {
  CandidateReport report;
  json.at("candidate_id").get_to(report.candidate_id);
  report.config = ToConfig(json.at("config"));
  report.kind = ToEnum(json.at("kind"), &ParseOutcomeKind);
  json.at("rule").get_to(report.rule);
  json.at("detail").get_to(report.detail);
  report.resources = ToResources(json.at("resources"));
  report.predicted_ns = ToDouble(json.at("predicted_ns"));
  json.at("predicted_bound").get_to(report.predicted_bound);
  for (const Json& entry : json.at("compiled")) {
    report.compiled.push_back(ToEntry(entry));
  }
  report.error_ratio = ToDouble(json.at("error_ratio"));
  json.at("artifact_digest").get_to(report.artifact_digest);
  if (json.contains("measurement")) {
    report.measurement = ToMeasurement(json.at("measurement"));
  }
  return report;
}

Json FromResult(const TuneResult& result) {
  return {{"key", FromKey(result.key)},
          {"state", Name(result.state)},
          {"winner", FromWinner(result.winner)},
          {"ties", result.ties},
          {"funnel", result.funnel},
          {"conditions", FromConditions(result.conditions)},
          {"phases", FromPhases(result.phases)},
          {"partial", result.partial},
          {"device_uuid", result.device_uuid},
          {"device_name", result.device_name},
          {"driver_version", result.driver_version},
          {"compiler", result.compiler},
          {"template_digest", result.template_digest},
          {"run_id", result.run_id},
          {"created_micros", result.created_micros}};
}

TuneResult ToResult(const Json& json) {
  TuneResult result;
  result.key = ToKey(json.at("key"));
  result.state = ToEnum(json.at("state"), &ParseRowState);
  result.winner = ToWinner(json.at("winner"));
  json.at("ties").get_to(result.ties);
  json.at("funnel").get_to(result.funnel);
  result.conditions = ToConditions(json.at("conditions"));
  result.phases = ToPhases(json.at("phases"));
  json.at("partial").get_to(result.partial);
  json.at("device_uuid").get_to(result.device_uuid);
  json.at("device_name").get_to(result.device_name);
  json.at("driver_version").get_to(result.driver_version);
  json.at("compiler").get_to(result.compiler);
  json.at("template_digest").get_to(result.template_digest);
  json.at("run_id").get_to(result.run_id);
  json.at("created_micros").get_to(result.created_micros);
  return result;
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class T>
Result<T> Decode(std::string_view text, T (*convert)(const Json&)) {
  try {
    return convert(Json::parse(text));
  } catch (const std::exception& e) {
    return Status(StatusCode::kDataLoss, std::string("stored row cannot be read: ") + e.what());
  }
}

}  // namespace

std::string EncodeTuneResult(const TuneResult& result) {
  return Dump(FromResult(result));
}

std::string EncodeReport(const CandidateReport& report) {
  return Dump(FromReport(report));
}

Result<TuneResult> DecodeTuneResult(std::string_view text) {
  return Decode<TuneResult>(text, &ToResult);
}

Result<CandidateReport> DecodeReport(std::string_view text) {
  return Decode<CandidateReport>(text, &ToReport);
}

}  // namespace tw
