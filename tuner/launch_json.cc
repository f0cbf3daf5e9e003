// SPDX-License-Identifier: Apache-2.0
#include "tuner/launch_json.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "codegen/core/tensor_map.h"

namespace tw {
namespace {

using Json = nlohmann::json;

template <class T, std::size_t kCount>
std::vector<T> First(const std::array<T, kCount>& values, int count) {
  return {values.begin(), values.begin() + count};
}

// Requires: at most kCount values.
template <class T, std::size_t kCount>
void SetFirst(std::array<T, kCount>& to, const std::vector<T>& values) {
  std::copy(values.begin(), values.end(), to.begin());
}

void Require(bool condition, const std::string& what) {
  if (!condition)
    throw std::invalid_argument(what);
}

Json FromTensorMap(const TensorMapRecipe& map) {
  return {{"operand", Name(map.operand)},
          {"type", Name(map.type)},
          {"dims", First(map.dims, map.rank)},
          {"strides", First(map.strides, map.rank - 1)},
          {"box", First(map.box, map.rank)},
          {"swizzle_bytes", map.swizzle_bytes},
          {"l2_promotion_bytes", map.l2_promotion_bytes}};
}

TensorMapRecipe ToTensorMap(const Json& json) {
  TensorMapRecipe map;
  const auto operand = ParseMapOperand(json.at("operand").get<std::string>());
  Require(operand.has_value(), "unknown operand of a tensor map");
  map.operand = *operand;
  const auto type = ParseDType(json.at("type").get<std::string>());
  Require(type.has_value(), "unknown type of a tensor map");
  map.type = *type;
  const auto dims = json.at("dims").get<std::vector<std::int64_t>>();
  const auto strides = json.at("strides").get<std::vector<std::int64_t>>();
  const auto box = json.at("box").get<std::vector<std::int32_t>>();
  map.rank = static_cast<int>(dims.size());
  json.at("swizzle_bytes").get_to(map.swizzle_bytes);
  json.at("l2_promotion_bytes").get_to(map.l2_promotion_bytes);
  const Status form = CheckTensorMapForm(map);
  Require(form.ok(), "tensor map: " + form.message());
  Require(strides.size() + 1 == dims.size() && box.size() == dims.size(),
          "dims, strides and box of a tensor map do not belong together");
  SetFirst(map.dims, dims);
  SetFirst(map.strides, strides);
  SetFirst(map.box, box);
  return map;
}

Json FromKernelLaunch(const KernelLaunch& launch) {
  Json maps = Json::array();
  for (const TensorMapRecipe& map : launch.tensor_maps)
    maps.push_back(FromTensorMap(map));
  return {{"entry", launch.entry},
          {"grid", launch.grid},
          {"block", launch.block},
          {"dynamic_smem_bytes", launch.dynamic_smem_bytes},
          {"cluster", launch.cluster},
          {"cooperative", launch.cooperative},
          {"programmatic", launch.programmatic},
          {"tensor_maps", std::move(maps)}};
}

// What older rows lack keeps its default.
template <class T>
void GetIfThere(const Json& json, const char* name, T& value) {
  if (json.contains(name))
    json.at(name).get_to(value);
}

KernelLaunch ToKernelLaunch(const Json& json) {
  KernelLaunch launch;
  json.at("entry").get_to(launch.entry);
  json.at("grid").get_to(launch.grid);
  json.at("block").get_to(launch.block);
  json.at("dynamic_smem_bytes").get_to(launch.dynamic_smem_bytes);
  GetIfThere(json, "cluster", launch.cluster);
  GetIfThere(json, "cooperative", launch.cooperative);
  GetIfThere(json, "programmatic", launch.programmatic);
  if (json.contains("tensor_maps")) {
    for (const Json& map : json.at("tensor_maps"))
      launch.tensor_maps.push_back(ToTensorMap(map));
  }
  return launch;
}

}  // namespace

Json FromLaunch(const LaunchPlan& plan) {
  Json launches = Json::array();
  for (const KernelLaunch& launch : plan.launches)
    launches.push_back(FromKernelLaunch(launch));
  return {{"launches", std::move(launches)},
          {"workspace_bytes", plan.workspace_bytes},
          {"workspace_zero_bytes", plan.workspace_zero_bytes}};
}

LaunchPlan ToLaunch(const Json& json) {
  LaunchPlan plan;
  for (const Json& item : json.at("launches"))
    plan.launches.push_back(ToKernelLaunch(item));
  json.at("workspace_bytes").get_to(plan.workspace_bytes);
  GetIfThere(json, "workspace_zero_bytes", plan.workspace_zero_bytes);
  return plan;
}

}  // namespace tw
