// The emulation itself: what it must refuse, by direct use of its instructions.
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/templates/emulation/machine.h"
#include "tests/templates/emulation/tensor_map.h"
#include "tw/ptx/mbarrier.cuh"
#include "tw/ptx/thread_groups.cuh"
#include "tw/ptx/tma.cuh"
#include "tw/ptx/wgmma_bf16.cuh"
#include "tw/wgmma_descriptor.h"

namespace tw {
namespace {

using testing::HasSubstr;

std::string ErrorOf(const emulation::LaunchShape& shape, const std::function<void()>& kernel) {
  emulation::Machine machine(1);
  machine.Launch(shape, kernel);
  return machine.error();
}

uint32 Base() {
  return static_cast<uint32>(__cvta_generic_to_shared(nullptr));
}

TEST(Emulation, ArrivalBeyondTheCount) {
  EXPECT_THAT(ErrorOf({},
                      [] {
                        if (threadIdx.x != 0)
                          return;
                        MbarrierInit(Base(), 2);
                        MbarrierInitFence();
                        MbarrierArriveExpect(Base(), 64);
                        MbarrierArrive(Base());
                        MbarrierArrive(Base());
                      }),
              HasSubstr("arrival beyond the count (phase 0, 0 of 2 arrivals pending, 64 bytes"));
}

TEST(Emulation, DeadlockSaysWhoWaitsWhere) {
  const std::string error = ErrorOf({.threads = 64}, [] {
    if (threadIdx.x == 0) {
      MbarrierInit(Base() + 8, 1);
      MbarrierInitFence();
    }
    __syncthreads();
    if (threadIdx.x < 32)
      MbarrierWait(Base() + 8, 0);
  });
  EXPECT_THAT(error, HasSubstr("block 0, at mbarrier 8, parity 0: 32 threads from 0 on"));
  EXPECT_THAT(error, HasSubstr("phase 0, 1 of 1 arrivals pending"));
}

TEST(Emulation, NamedBarrierOfTwoSizes) {
  EXPECT_THAT(ErrorOf({.threads = 64}, [] { NamedBarrierSync(3, threadIdx.x < 32 ? 64 : 96); }),
              HasSubstr("barrier 3: arrivals for"));
}

TEST(Emulation, MatrixDescriptorOfAnUnmaskedAddress) {
  auto kernel = [](uint32 start) {
    float sums[4] = {};
    const uint64 a = WgmmaDescriptor::Layout(true, 64) | start;
    WgmmaFence();
    Wgmma<bf16, bf16, 8>::Run<false, false>(sums, a, a, 0);
    WgmmaCommit();
    WgmmaWait<0>();
  };
  EXPECT_EQ(ErrorOf({.threads = 128}, [&] { kernel(WgmmaDescriptor::Start(Base())); }), "");
  EXPECT_THAT(ErrorOf({.threads = 128}, [&] { kernel(Base() >> 4U); }),
              HasSubstr("bits outside of its fields"));
}

TEST(Emulation, RegistersThatAreNotThere) {
  const std::string error = ErrorOf({.threads = 256, .registers = 128}, [] {
    if (threadIdx.x < 128) {
      ReleaseRegisters<40>();
    } else {
      ClaimRegisters<224>();
    }
  });
  EXPECT_THAT(error, HasSubstr("claim of registers 224: 128 threads"));
}

TEST(Emulation, SharedMemoryEndsWhereTheLaunchSays) {
  EXPECT_THAT(ErrorOf({.shared_bytes = 64}, [] { MbarrierInit(Base() + 64, 1); }),
              HasSubstr("an mbarrier of 1 at shared address"));
}

TEST(Emulation, TensorMapsFollowTheRules) {
  alignas(16) static char memory[16];
  emulation::TensorMapShape good{.address = memory,
                                 .dims = {64, 8, 1},
                                 .strides = {128, 0},
                                 .box = {64, 8, 1},
                                 .swizzle_bytes = 128};
  EXPECT_EQ(emulation::CheckTensorMap(good), "");
  emulation::TensorMapShape bad = good;
  bad.strides[0] = 130;
  EXPECT_NE(emulation::CheckTensorMap(bad), "");
  bad = good;
  bad.box[1] = 257;
  EXPECT_NE(emulation::CheckTensorMap(bad), "");
  bad = good;
  bad.address = memory + 8;
  EXPECT_NE(emulation::CheckTensorMap(bad), "");
  bad = good;
  bad.box[0] = 72;
  EXPECT_NE(emulation::CheckTensorMap(bad), "");
}

}  // namespace
}  // namespace tw
