// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/memory_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems.h"
#include "tuner/measure/plausibility.h"

namespace tw {
namespace {

using testing::ElementsAre;

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

using enum FillPattern;

std::vector<FillPattern> TrialsWith(const GemmProblem& problem, std::int64_t free_bytes) {
  return PlanMemory(problem, Objective::kCold, {free_bytes, kH200.l2_bytes}).value().trials;
}

TEST(MemoryPlan, ExactTrialsOnlyWhereSumsStayExact) {
  EXPECT_THAT(TrialsWith(Square(4096), kH200.free_bytes),
              ElementsAre(kNormal, kIntegers, kCancelling, kMagnitudes, kOnes));
  EXPECT_THAT(TrialsWith(Square(4097), kH200.free_bytes),
              ElementsAre(kNormal, kCancelling, kMagnitudes, kOnes));
  GemmProblem gelu = Square(64);
  gelu.epilogue.activation = "gelu_erf";
  EXPECT_THAT(TrialsWith(gelu, kH200.free_bytes),
              ElementsAre(kNormal, kIntegers, kCancelling, kMagnitudes));
  const TypeSet s8{DType::kS8, DType::kS32, DType::kS32};
  EXPECT_THAT(TrialsWith(Normalize(Product(64, 64, 64, s8)).value(), kH200.free_bytes),
              ElementsAre(kNormal, kIntegers, kCancelling, kOnes));
}

TEST(MemoryPlan, TrialsOnlyWhileTheyFit) {
  // 4096^2 elements, in MiB: a trial needs 64 for operands, 192 for a reference with magnitudes and
  // 128 for an exact one; the first one with D and a timed set 384 together. 90 % are usable, 40 %
  // for references.
  const GemmProblem problem = Square(4096);
  EXPECT_THAT(TrialsWith(problem, 630LL << 20), ElementsAre(kNormal));
  EXPECT_THAT(TrialsWith(problem, 900LL << 20), ElementsAre(kNormal, kIntegers));
  EXPECT_THAT(TrialsWith(problem, 1300LL << 20), ElementsAre(kNormal, kIntegers, kCancelling));
}

TEST(MemoryPlan, TwoTrialsWhereReferencesAreSlow) {
  EXPECT_THAT(TrialsWith(Square(8192), kH200.free_bytes), ElementsAre(kNormal, kCancelling));
}

TEST(MemoryPlan, HugeProductsAreSampled) {
  const GemmProblem problem = Normalize(Product(32768, 131072, 1024, kBf16)).value();
  const MemoryPlan plan = PlanMemory(problem, Objective::kCold, kH200).value();
  EXPECT_TRUE(plan.sampled);
  EXPECT_THAT(plan.trials, ElementsAre(kNormal, kIntegers));
  EXPECT_LT(plan.TotalBytes(), 24LL << 30);  // D is 8 GiB, judged and timed
  EXPECT_GT(plan.TotalBytes(), 16LL << 30);
  EXPECT_FALSE(PlanMemory(Square(8192), Objective::kCold, kH200).value().sampled);
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
