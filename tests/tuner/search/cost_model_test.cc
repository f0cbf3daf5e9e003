// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/cost_model.h"

#include <gtest/gtest.h>

namespace tw {
namespace {

GemmProblem Bf16Problem(std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.a.type = problem.b.type = problem.c.type = problem.d.type = DType::kBf16;
  return Normalize(problem).value();
}

DeviceSpec Hopper() {
  return *ReferenceDevice("sm_90a");
}

struct Tile {
  int m, n, k, threads, stages = 4, split_k = 1, regs = 128;
};

Candidate Make(const GemmProblem& problem, const std::string& family, const Tile& tile) {
  const auto ceil_div = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  Candidate candidate;
  candidate.config.family = family;
  Resources& r = candidate.resources;
  r.threads = tile.threads;
  r.stages = tile.stages;
  r.split_k = tile.split_k;
  r.tile_m = tile.m;
  r.tile_n = tile.n;
  r.tile_k = tile.k;
  r.regs_estimate = tile.regs;
  r.smem_bytes =
      static_cast<std::int64_t>(tile.m + tile.n) * tile.k * BytesOf(problem.a.type) * tile.stages;
  r.tiles = ceil_div(problem.m, tile.m) * ceil_div(problem.n, tile.n) * problem.batch;
  r.blocks = r.tiles * tile.split_k;
  r.workspace_bytes = tile.split_k > 1 ? problem.m * problem.n * 4 * tile.split_k : 0;
  return candidate;
}

TEST(CostModel, LargeProductIsWithinReachOfTheMmaSyncRate) {
  const GemmProblem problem = Bf16Problem(4096, 4096, 4096);
  const Prediction p =
      PredictTime(problem, Hopper(), Make(problem, "mma_sync", {128, 128, 32, 256}));
  const double tflops = 2.0 * 4096 * 4096 * 4096 / p.time_ns / 1e3;
  EXPECT_GT(tflops, 250);
  EXPECT_LT(tflops, 620);
}

TEST(CostModel, TensorCoresBeatCudaCores) {
  const GemmProblem problem = Bf16Problem(4096, 4096, 4096);
  const Prediction tensor =
      PredictTime(problem, Hopper(), Make(problem, "mma_sync", {128, 128, 32, 256}));
  const Prediction simt =
      PredictTime(problem, Hopper(), Make(problem, "simt", {128, 128, 16, 256, 2}));
  EXPECT_GT(simt.time_ns, 4 * tensor.time_ns);
  EXPECT_EQ(simt.bound, "fma");
}

TEST(CostModel, TrueFp32IsBoundByCudaCores) {
  GemmProblem problem = Bf16Problem(4096, 4096, 4096);
  problem.a.type = problem.b.type = problem.d.type = DType::kF32;
  const Prediction p =
      PredictTime(problem, Hopper(), Make(problem, "simt", {128, 128, 16, 256, 2}));
  const double tflops = 2.0 * 4096 * 4096 * 4096 / p.time_ns / 1e3;
  EXPECT_GT(tflops, 30);
  EXPECT_LT(tflops, 67);
}

TEST(CostModel, DecodeIsBoundByMemory) {
  const GemmProblem problem = Bf16Problem(16, 128256, 4096);
  const Prediction p =
      PredictTime(problem, Hopper(), Make(problem, "mma_sync", {16, 128, 64, 128, 5}));
  EXPECT_EQ(p.bound, "dram");
  const double gb_per_s = 128256.0 * 4096 * 2 / p.time_ns;
  EXPECT_GT(gb_per_s, 3000);
  EXPECT_LT(gb_per_s, 4800);
}

TEST(CostModel, LongKWantsItsKSplit) {
  const GemmProblem problem = Bf16Problem(256, 256, 65536);
  const Prediction whole =
      PredictTime(problem, Hopper(), Make(problem, "mma_sync", {128, 128, 32, 256}));
  const Prediction split =
      PredictTime(problem, Hopper(), Make(problem, "mma_sync", {128, 128, 32, 256, 4, 16}));
  EXPECT_LT(split.time_ns, 0.3 * whole.time_ns);
}

TEST(CostModel, SquareProductsDoNotWantTheirKSplit) {
  const GemmProblem problem = Bf16Problem(4096, 4096, 4096);
  const Prediction whole =
      PredictTime(problem, Hopper(), Make(problem, "mma_sync", {128, 128, 32, 256}));
  const Prediction split =
      PredictTime(problem, Hopper(), Make(problem, "mma_sync", {128, 128, 32, 256, 4, 8}));
  EXPECT_GT(split.time_ns, whole.time_ns);
}

TEST(CostModel, SmallTilesAreSlowOnLargeProducts) {
  const GemmProblem problem = Bf16Problem(8192, 8192, 8192);
  const Prediction small =
      PredictTime(problem, Hopper(), Make(problem, "mma_sync", {32, 32, 32, 128}));
  const Prediction large =
      PredictTime(problem, Hopper(), Make(problem, "mma_sync", {128, 128, 32, 256}));
  EXPECT_GT(small.time_ns, 1.5 * large.time_ns);
}

TEST(CostModel, ASingleStageHidesNothing) {
  const GemmProblem problem = Bf16Problem(1024, 1024, 4096);
  const Prediction one =
      PredictTime(problem, Hopper(), Make(problem, "mma_sync", {128, 128, 32, 256, 1}));
  const Prediction four =
      PredictTime(problem, Hopper(), Make(problem, "mma_sync", {128, 128, 32, 256, 4}));
  EXPECT_EQ(one.bound, "latency");
  EXPECT_GT(one.time_ns, four.time_ns);
}

TEST(CostModel, TinyProductIsBoundByItsLaunch) {
  const GemmProblem problem = Bf16Problem(3, 17, 8);
  const Prediction p = PredictTime(problem, Hopper(), Make(problem, "simt", {32, 32, 8, 64, 2}));
  EXPECT_EQ(p.bound, "launch");
}

TEST(CostModel, ZeroKCostsTheEpilogueOnly) {
  const GemmProblem problem = Bf16Problem(128, 128, 0);
  const Prediction p = PredictTime(problem, Hopper(), Make(problem, "simt", {32, 32, 8, 64, 2}));
  EXPECT_GT(p.time_ns, 0);
}

// Every reference device gives finite, positive times, also where its row knows no tensor rate.
TEST(CostModel, IsFiniteOnEveryReferenceDevice) {
  const GemmProblem problem = Bf16Problem(1000, 1000, 1000);
  for (const DeviceSpec& device : ReferenceDevices()) {
    for (const char* family : {"simt", "mma_sync", "wgmma_tma"}) {
      const Prediction p =
          PredictTime(problem, device, Make(problem, family, {64, 64, 32, 128, 2}));
      EXPECT_GT(p.time_ns, 0) << device.name << " " << family;
      EXPECT_LT(p.time_ns, 1e9) << device.name << " " << family;
    }
  }
}

Candidate Bulk(const GemmProblem& problem) {
  Candidate candidate = Make(problem, "wgmma_tma", {128, 256, 64, 384, 4});
  candidate.config.knobs = {{"consumers", 2}};
  return candidate;
}

// To the last bit: with traffic as it is modelled now, what the model said before devices had an L2
// share and a launch time of their own. Bounds: dram, l2, split-K through the L2, launch, bulk
// copies.
TEST(CostModel, UncalibratedDevicesArePredictedAsEver) {
  struct Row {
    const char* arch;
    double decode, plain, split, tiny, bulk;
  };

  const Row rows[] = {{"sm_75", 0x1.005edf3c243fcp+22, 0x1.832a1deeb74b4p+16, 0x1.677951ff83642p+18,
                       0x1.9e187ab9ea7c5p+11, 0x1.5fb690c65f45p+21},
                      {"sm_80", 0x1.3a199a4a8da18p+19, 0x1.1e48f069675p+15, 0x1.11c3c249ce3d7p+16,
                       0x1.b30b4395bc2a1p+11, 0x1.2f10fb452b293p+19},
                      {"sm_90a", 0x1.0d046410d9359p+18, 0x1.313d58da340c5p+14,
                       0x1.17e2b600f1c11p+15, 0x1.8bfc7b9569381p+11, 0x1.8d31647508a49p+17}};
  for (const Row& row : rows) {
    const DeviceSpec device = *ReferenceDevice(row.arch);
    const auto time_of = [&](const GemmProblem& problem, const Candidate& candidate) {
      return PredictTime(problem, device, candidate).time_ns;
    };
    const GemmProblem decode = Bf16Problem(16, 128256, 4096);
    const GemmProblem middle = Bf16Problem(2048, 1024, 1000);
    const GemmProblem tiny = Bf16Problem(3, 17, 8);
    const GemmProblem square = Bf16Problem(4096, 4096, 4096);
    EXPECT_EQ(time_of(decode, Make(decode, "mma_sync", {16, 128, 64, 128, 5})), row.decode)
        << row.arch;
    EXPECT_EQ(time_of(middle, Make(middle, "mma_sync", {64, 64, 32, 128, 3})), row.plain)
        << row.arch;
    EXPECT_EQ(time_of(middle, Make(middle, "mma_sync", {128, 128, 32, 256, 4, 4})), row.split)
        << row.arch;
    EXPECT_EQ(time_of(tiny, Make(tiny, "simt", {32, 32, 8, 64, 2})), row.tiny) << row.arch;
    EXPECT_EQ(time_of(square, Bulk(square)), row.bulk) << row.arch;
  }
}

TEST(CostModel, ReadsTheDevicesLaunchTime) {
  const GemmProblem problem = Bf16Problem(3, 17, 8);
  const Candidate candidate = Make(problem, "simt", {32, 32, 8, 64, 2});
  DeviceSpec device = Hopper();
  const double before = PredictTime(problem, device, candidate).terms.fixed_ns;
  device.launch_s += 1e-6;
  EXPECT_NEAR(PredictTime(problem, device, candidate).terms.fixed_ns, before + 1000, 1e-6);
}

TEST(CostModel, ReadsTheDevicesL2ShareForPlainAndForBulkCopies) {
  const GemmProblem problem = Bf16Problem(4096, 4096, 4096);
  const Candidate plain = Make(problem, "mma_sync", {32, 32, 32, 128, 8});
  // So much worse a share that the L2 bounds both.
  const auto main_loop = [&](const Candidate& candidate, double share) {
    DeviceSpec device = Hopper();
    device.l2_bytes_per_clock_per_sm = share;
    return PredictTime(problem, device, candidate).terms.main_loop_ns;
  };
  EXPECT_NEAR(main_loop(plain, 1) / main_loop(plain, 2), 2, 0.1);
  EXPECT_NEAR(main_loop(Bulk(problem), 1) / main_loop(Bulk(problem), 2), 2, 0.1);
}

}  // namespace
}  // namespace tw
