// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/memory_plan.h"

#include <gtest/gtest.h>

#include "problems.h"
#include "tuner/measure/plausibility.h"

namespace tw {
namespace {

constexpr TypeSet kBf16{DType::kBf16, DType::kBf16, DType::kF32};
constexpr MemoryLimits kH200{.free_bytes = 140LL << 30, .l2_bytes = 60LL << 20};

GemmProblem Square(std::int64_t n) {
  return Normalize(Product(n, n, n, kBf16)).value();
}

TEST(MemoryPlan, ColdCopiesExceedTwiceTheL2) {
  // 1024^3 in bf16: 6 MiB a set, 120 MiB to exceed.
  EXPECT_EQ(PlanMemory(Square(1024), Objective::kCold, kH200).value().copies, 20);
  EXPECT_EQ(PlanMemory(Square(8192), Objective::kCold, kH200).value().copies, 1);
  EXPECT_EQ(PlanMemory(Square(8), Objective::kCold, kH200).value().copies, 4096);
}

TEST(MemoryPlan, WarmIsOneCopy) {
  EXPECT_EQ(PlanMemory(Square(64), Objective::kWarm, kH200).value().copies, 1);
}

TEST(MemoryPlan, SecondTrialOnlyWhereSumsStayExact) {
  EXPECT_TRUE(PlanMemory(Square(4096), Objective::kCold, kH200).value().integer_trial);
  EXPECT_FALSE(PlanMemory(Square(4097), Objective::kCold, kH200).value().integer_trial);
}

TEST(MemoryPlan, SecondTrialOnlyWhereItFits) {
  const GemmProblem problem = Square(4096);  // references: 20 B x 16 Mi elements = 320 MiB
  MemoryLimits limits = kH200;
  limits.free_bytes = 1LL << 30;
  EXPECT_TRUE(PlanMemory(problem, Objective::kCold, limits).value().integer_trial);
  limits.free_bytes = 700LL << 20;
  EXPECT_FALSE(PlanMemory(problem, Objective::kCold, limits).value().integer_trial);
}

TEST(MemoryPlan, TheTotalFits) {
  for (std::int64_t free_mib : {420, 500, 800, 2000, 140000}) {
    MemoryLimits limits = kH200;
    limits.free_bytes = free_mib << 20;
    auto plan = PlanMemory(Square(4096), Objective::kCold, limits);
    if (plan.ok()) {
      EXPECT_LE(plan->TotalBytes(), limits.free_bytes) << free_mib;
      EXPECT_GE(plan->copies, 1) << free_mib;
    } else {
      EXPECT_EQ(plan.status().code(), StatusCode::kResourceExhausted);
    }
  }
}

TEST(MemoryPlan, OverflowIsTooLarge) {
  GemmProblem problem = Product(1 << 20, 1 << 20, 1, kBf16);
  problem.batch = 1 << 20;
  const auto plan = PlanMemory(Normalize(problem).value(), Objective::kCold, kH200);
  EXPECT_EQ(plan.status().code(), StatusCode::kResourceExhausted);
}

TEST(Plausibility, BoundedByArithmeticAndByMemory) {
  const DeviceSpec h200 = ReferenceDevice("sm_90a").value();
  // 2^36 multiply-adds at 2048 a clock on 132 SMs of 1.755 GHz, over 1.2.
  EXPECT_NEAR(ImpossiblyShortNs(Square(4096), h200, 2), 120.7e3, 0.5e3);
  // 2.5 * 10^9 fp32 numbers at 4.3 TB/s, over 1.2.
  const TypeSet f32{DType::kF32, DType::kF32, DType::kF32};
  const GemmProblem vector = Normalize(Product(1, 50000, 50000, f32)).value();
  EXPECT_NEAR(ImpossiblyShortNs(vector, h200, 1), 1.926e6, 0.03e6);
}

TEST(Plausibility, WhatTheL2KeepsIsFree) {
  const DeviceSpec h200 = ReferenceDevice("sm_90a").value();
  const GemmProblem problem = Normalize(Product(4096, 1, 4096, kBf16)).value();  // 32 MiB
  EXPECT_LT(ImpossiblyShortNs(problem, h200, 1), 100);
  EXPECT_GT(ImpossiblyShortNs(problem, h200, 4), 3000);
}

}  // namespace
}  // namespace tw
