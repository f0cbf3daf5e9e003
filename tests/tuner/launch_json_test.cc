// SPDX-License-Identifier: Apache-2.0
#include "tuner/launch_json.h"

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fakes/sample_launch.h"

namespace tw {
namespace {

using Json = nlohmann::json;

TEST(LaunchJson, EveryFieldComesBack) {
  const LaunchPlan plan = fakes::SampleLaunchPlan();
  EXPECT_EQ(ToLaunch(Json::parse(FromLaunch(plan).dump())), plan);
}

// As builds before clusters and tensor maps wrote it.
TEST(LaunchJson, AnOldRowHasTheDefaults) {
  const LaunchPlan plan = ToLaunch(Json::parse(R"({
      "launches": [{"entry": "k", "grid": [1, 2, 3], "block": [4, 5, 6], "dynamic_smem_bytes": 7}],
      "workspace_bytes": 8})"));
  LaunchPlan want;
  want.launches.push_back(
      {.entry = "k", .grid = {1, 2, 3}, .block = {4, 5, 6}, .dynamic_smem_bytes = 7});
  want.workspace_bytes = 8;
  EXPECT_EQ(plan, want);
}

TEST(LaunchJson, DamagedTensorMapsThrow) {
  const std::vector<std::function<void(Json&)>> damages{
      [](Json& map) { map["operand"] = "c"; },
      [](Json& map) { map["type"] = "f7"; },
      [](Json& map) { map["dims"] = Json::array({1}); },
      [](Json& map) {
        map["dims"] = Json::array({1, 2, 3, 4, 5, 6});
      },
      [](Json& map) { map["dims"].erase(0); },
      [](Json& map) { map["strides"].push_back(16); },
      [](Json& map) { map["box"].push_back(1); },
      [](Json& map) { map["swizzle_bytes"] = 16; },
      [](Json& map) { map["l2_promotion_bytes"] = 1; },
      [](Json& map) { map.erase("box"); }};
  for (std::size_t i = 0; i < damages.size(); ++i) {
    Json json = FromLaunch(fakes::SampleLaunchPlan());
    damages[i](json["launches"][0]["tensor_maps"][0]);
    EXPECT_THROW(ToLaunch(json), std::exception) << i;
  }
}

}  // namespace
}  // namespace tw
