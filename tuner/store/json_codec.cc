// SPDX-License-Identifier: Apache-2.0
#include "tuner/store/json_codec.h"

#include <exception>
#include <utility>

#include "tuner/launch_json.h"
#include "tuner/store/json_baseline.h"
#include "tuner/store/json_parts.h"

namespace tw {
namespace {

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
  Json json = {{"key", FromKey(result.key)},
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
  if (result.baseline)
    json["baseline"] = FromBaseline(*result.baseline);
  return json;
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
  if (json.contains("baseline"))
    result.baseline = ToBaseline(json.at("baseline"));
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
