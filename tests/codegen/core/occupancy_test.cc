// SPDX-License-Identifier: Apache-2.0
#include "codegen/occupancy.h"

#include <vector>

#include <gtest/gtest.h>

namespace tw {
namespace {

constexpr std::int64_t kKiB = 1024;

DeviceSpec H100() {
  DeviceSpec device;
  device.name = "NVIDIA H100";
  device.max_threads_per_sm = 2048;
  device.max_blocks_per_sm = 32;
  device.smem_per_sm = 228 * kKiB;
  device.smem_per_block_optin = 227 * kKiB;
  device.smem_reserved_per_block = kKiB;
  return device;
}

TEST(IdealOccupancy, TextbookRows) {
  struct Row {
    BlockNeeds block;
    int blocks;
    double fraction;
    OccupancyLimiter limiter;
  };

  using enum OccupancyLimiter;
  for (const Row& row :
       {Row{{256, 32, 0}, 8, 1.0, kThreads}, Row{{256, 64, 0}, 4, 0.5, kRegisters},
        Row{{128, 160, 0}, 3, 0.1875, kRegisters},
        Row{{256, 32, 64 * kKiB}, 3, 0.375, kSharedMemory}, Row{{1024, 32, 0}, 2, 1.0, kThreads}}) {
    const Occupancy occupancy = ComputeIdealOccupancy(H100(), row.block);
    EXPECT_EQ(occupancy.blocks_per_sm, row.blocks) << row.block.threads;
    EXPECT_DOUBLE_EQ(occupancy.fraction, row.fraction) << row.block.threads;
    EXPECT_EQ(occupancy.limiter, row.limiter) << Name(occupancy.limiter);
  }
}

struct Known {
  const char* arch;
  BlockNeeds block;
  int blocks;
};

void ExpectKnown(const std::vector<Known>& rows) {
  for (const Known& row : rows) {
    const DeviceSpec device = ReferenceDevice(row.arch).value();
    EXPECT_EQ(ComputeOccupancy(device, row.block).blocks_per_sm, row.blocks)
        << row.arch << " " << row.block.threads << " threads, " << row.block.registers_per_thread
        << " registers, " << row.block.smem_bytes << " B";
  }
}

// Values of the CUDA 13.0 toolkit's occupancy calculator, cuda_occupancy.h.
TEST(Occupancy, RegistersAsTheToolkitCountsThem) {
  ExpectKnown({{"sm_90a", {128, 168, 0}, 3},
               {"sm_90a", {128, 169, 0}, 2},
               {"sm_90a", {64, 255, 0}, 4},
               {"sm_90a", {96, 80, 0}, 8},
               {"sm_90a", {160, 96, 0}, 4},
               {"sm_90a", {288, 33, 0}, 5},
               {"sm_90a", {1024, 64, 0}, 1},
               {"sm_90a", {1024, 65, 0}, 0},
               {"sm_90a", {896, 72, 0}, 1},
               {"sm_90a", {928, 64, 0}, 1},
               {"sm_90a", {928, 66, 0}, 0},  // the launch check rounds 29 warps up to 32
               {"sm_86", {128, 40, 0}, 12}});
}

TEST(Occupancy, SharedMemoryAsTheToolkitCountsIt) {
  ExpectKnown({{"sm_90a", {256, 128, 113 * kKiB}, 2},
               {"sm_90a", {256, 128, 113 * kKiB + 1}, 1},
               {"sm_90a", {384, 168, 200000}, 1},
               {"sm_90a", {256, 64, 75 * kKiB}, 3},
               {"sm_90a", {256, 32, 227 * kKiB}, 1},
               {"sm_90a", {256, 32, 227 * kKiB + 1}, 0},
               {"sm_75", {256, 64, 16 * kKiB}, 4},
               {"sm_75", {256, 64, 64 * kKiB}, 1},
               {"sm_80", {128, 96, 40 * kKiB}, 4},
               {"sm_80", {256, 40, 80 * kKiB}, 2},
               {"sm_86", {256, 48, 33 * kKiB}, 2},
               {"sm_120a", {384, 128, 99 * kKiB}, 1}});
}

TEST(Occupancy, ThreadsAndBlocksAsTheToolkitCountsThem) {
  ExpectKnown({{"sm_90a", {32, 16, 0}, 32},
               {"sm_90a", {33, 16, 0}, 32},
               {"sm_75", {128, 32, 0}, 8},
               {"sm_89", {64, 32, 0}, 24},
               {"sm_90a", {1025, 16, 0}, 0}});
}

TEST(Occupancy, NamesTheLimiter) {
  const DeviceSpec device = ReferenceDevice("sm_90a").value();
  EXPECT_EQ(ComputeOccupancy(device, {32, 16, 0}).limiter, OccupancyLimiter::kBlocks);
  EXPECT_EQ(ComputeOccupancy(device, {256, 32, 0}).limiter, OccupancyLimiter::kThreads);
  EXPECT_EQ(ComputeOccupancy(device, {256, 255, 0}).limiter, OccupancyLimiter::kRegisters);
  EXPECT_EQ(ComputeOccupancy(device, {256, 32, 200 * kKiB}).limiter,
            OccupancyLimiter::kSharedMemory);
  EXPECT_EQ(Name(OccupancyLimiter::kNone), "none");
  EXPECT_EQ(Name(OccupancyLimiter::kThreads), "threads");
  EXPECT_EQ(Name(OccupancyLimiter::kBlocks), "blocks");
  EXPECT_EQ(Name(OccupancyLimiter::kRegisters), "registers");
  EXPECT_EQ(Name(OccupancyLimiter::kSharedMemory), "shared memory");
}

void ExpectMonotonic(const DeviceSpec& device, int threads) {
  int last = device.max_blocks_per_sm;
  for (int step = 0; step < 32; ++step) {
    const BlockNeeds block{threads, 16 + step * 7, step * kKiB};
    const Occupancy real = ComputeOccupancy(device, block);
    EXPECT_LE(real.blocks_per_sm, ComputeIdealOccupancy(device, block).blocks_per_sm);
    EXPECT_LE(real.blocks_per_sm, last);
    EXPECT_LE(real.fraction, 1);
    last = real.blocks_per_sm;
  }
}

// Granularity only ever takes away, and more needs never raise the number of blocks.
TEST(Occupancy, IsMonotonicAndNeverAboveTheIdeal) {
  for (const DeviceSpec& device : ReferenceDevices()) {
    SCOPED_TRACE(device.arch);
    for (int threads = 32; threads <= 1024; threads += 96)
      ExpectMonotonic(device, threads);
  }
}

}  // namespace
}  // namespace tw
