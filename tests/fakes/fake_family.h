// A tiny kernel family whose legality and resources are plain arithmetic over its knobs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>

#include "codegen/families/family.h"

namespace tw::fakes {

inline constexpr std::array<int, 3> kFakeTiles{32, 64, 256};
inline constexpr std::array<int, 2> kFakeSplits{1, 4};
inline constexpr std::array<KnobDomain, 3> kFakeKnobs{{
    {.name = "tile_m", .values = kFakeTiles},
    {.name = "tile_n", .values = kFakeTiles},
    {.name = "split_k", .values = kFakeSplits},
}};

inline std::int64_t CeilDiv(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// 256x256 tiles break the rule "smem"; the rest is legal.
inline PlanResult FakePlan(const GemmProblem& problem,
                           const DeviceSpec& /*device*/,
                           const KernelConfig& config) {
  const int tile_m = config.Get("tile_m");
  const int tile_n = config.Get("tile_n");
  const int split_k = config.Get("split_k");
  if (tile_m == 256 && tile_n == 256) {
    return {.resources = std::nullopt, .rejection = {.rule = "smem", .detail = "256x256"}};
  }
  Resources r;
  r.threads = 128;
  r.smem_bytes = std::int64_t{64} * (tile_m + tile_n);
  r.regs_estimate = 64;
  r.tiles = CeilDiv(problem.m, tile_m) * CeilDiv(problem.n, tile_n) * problem.batch;
  r.blocks = r.tiles * split_k;
  r.split_k = split_k;
  r.stages = 2;
  r.tile_m = tile_m;
  r.tile_n = tile_n;
  r.tile_k = 16;
  r.workspace_bytes = split_k > 1 ? problem.m * problem.n * problem.batch * split_k * 4 : 0;
  return {.resources = r, .rejection = {}};
}

inline std::string FakeEntry(const KernelConfig& config) {
  return "tw_" + config.family + "_" + std::to_string(config.Get("tile_m")) + "x" +
         std::to_string(config.Get("tile_n")) + "_k" + std::to_string(config.Get("split_k"));
}

inline EntryParts FakeEmit(const GemmProblem& /*problem*/,
                           const DeviceSpec& /*device*/,
                           const KernelConfig& config) {
  EntryParts parts;
  parts.entry = FakeEntry(config);
  parts.kernels = "extern \"C\" __global__ void " + parts.entry + "(tw::GemmParams) {}\n";
  return parts;
}

inline LaunchPlan FakeLaunch(const GemmProblem& problem,
                             const DeviceSpec& device,
                             const KernelConfig& config) {
  const Resources r = *FakePlan(problem, device, config).resources;
  KernelLaunch launch;
  launch.entry = FakeEntry(config);
  launch.grid = {static_cast<std::uint32_t>(r.blocks), 1, 1};
  launch.block = {static_cast<std::uint32_t>(r.threads), 1, 1};
  launch.dynamic_smem_bytes = static_cast<std::uint32_t>(r.smem_bytes);
  return {.launches = {launch}, .workspace_bytes = r.workspace_bytes};
}

inline std::optional<std::string> FakeSupportsAll(const GemmProblem& /*problem*/,
                                                  const DeviceSpec& /*device*/) {
  return std::nullopt;
}

// 16 legal configurations of 18.
inline KernelFamily MakeFakeFamily(std::string_view name) {
  return {.name = name,
          .summary = "a fake",
          .min_cc = 0,
          .max_cc = 999,
          .knobs = kFakeKnobs,
          .unsupported = &FakeSupportsAll,
          .plan = &FakePlan,
          .emit = &FakeEmit,
          .launch = &FakeLaunch,
          .enumerate = nullptr};
}

}  // namespace tw::fakes
