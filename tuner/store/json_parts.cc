// SPDX-License-Identifier: Apache-2.0
#include "tuner/store/json_parts.h"

#include <cmath>
#include <limits>
#include <utility>

namespace tw {

Json FromDouble(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  return value;
}

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

}  // namespace tw
