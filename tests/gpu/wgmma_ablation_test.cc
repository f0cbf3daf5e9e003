// What each choice of family wgmma_tma buys: variants of one configuration, verified, then timed in
// turns with each other and the library's fastest. Prints a table; only a wrong kernel fails.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/families/wgmma_tma.h"
#include "contest.h"

namespace tw {
namespace {

struct Variant {
  std::string what;
  std::vector<std::pair<std::string, int>> knobs;  // that differ from the base
};

constexpr const char* kBase =
    "wgmma_tma:tile_m=128,tile_n=128,swap=0,consumers=2,pingpong=1,stages=6,cluster_m=1,"
    "cluster_n=1,group_m=8,split_k=1,reduce=0,deferred=1,tma_store=1,blocks=1,"
    "temporaries=0,unroll=1";

std::vector<Variant> Variants() {
  return {
      {"base: 128x128 in turns, no cluster, 6 stages, groups of 8, TMA store, deferred", {}},
      {"multicast of B (cluster 2x1)", {{"cluster_m", 2}}},
      {"multicast of A (cluster 1x2)", {{"cluster_n", 2}}},
      {"cooperative", {{"pingpong", 0}}},
      {"cooperative 128x256, 4 stages", {{"pingpong", 0}, {"tile_n", 256}, {"stages", 4}}},
      {"the same with cluster 2x1",
       {{"pingpong", 0}, {"tile_n", 256}, {"stages", 4}, {"cluster_m", 2}}},
      {"128x112 in turns", {{"tile_n", 112}}},
      {"128x176 in turns, 5 stages", {{"tile_n", 176}, {"stages", 5}}},
      {"128x200 in turns, 4 stages", {{"tile_n", 200}, {"stages", 4}}},
      {"192x128 in turns, 4 stages", {{"tile_m", 192}, {"stages", 4}}},
      {"operands swapped", {{"swap", 1}}},
      {"groups of 1", {{"group_m", 1}}},
      {"groups of 4", {{"group_m", 4}}},
      {"groups of 16", {{"group_m", 16}}},
      {"direct store", {{"tma_store", 0}}},
      {"5 stages", {{"stages", 5}}},
      {"4 stages", {{"stages", 4}}},
      {"3 stages", {{"stages", 3}}},
      {"given back at once", {{"deferred", 0}}},
      {"given back at once, cooperative", {{"deferred", 0}, {"pingpong", 0}}},
      {"stream-K, cooperative 128x256, 4 stages",
       {{"pingpong", 0}, {"tile_n", 256}, {"stages", 4}, {"reduce", 3}}},
  };
}

KernelConfig ConfigOf(const Variant& variant) {
  KernelConfig config = ParseKernelConfig(kBase).value();
  for (const auto& [name, value] : variant.knobs) {
    for (auto& knob : config.knobs) {
      if (knob.first == name)
        knob.second = value;
    }
  }
  return config;
}

GemmProblem Square(std::int64_t size) {
  GemmProblem p{.m = size, .n = size, .k = size};
  p.a.type = p.b.type = p.c.type = p.d.type = DType::kBf16;
  p.b.major = Major::kCol;
  p.acc = DType::kF32;
  return Normalize(p).value();
}

void Ablate(std::int64_t size) {
  TW_REQUIRE_GPU(gpu);
  if (gpu.device().Spec().cc() != kWgmmaTmaFamily.min_cc)
    GTEST_SKIP() << "NOT MEASURED: " << gpu.device().Spec().arch << " has no wgmma";
  std::vector<Entrant> entrants;
  for (const Variant& variant : Variants())
    entrants.push_back({variant.what, ConfigOf(variant)});
  RunContest(gpu, Square(size), entrants, {.library = 1});
}

TEST(WgmmaTmaAblation, Of4096) {
  Ablate(4096);
}

TEST(WgmmaTmaAblation, Of8192) {
  Ablate(8192);
}

}  // namespace
}  // namespace tw
