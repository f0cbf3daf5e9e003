// SPDX-License-Identifier: Apache-2.0
#include "tuner/launch_json.h"

#include <utility>

namespace tw {

using Json = nlohmann::json;

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

}  // namespace tw
