// The mma.sync kernels, run thread by thread on the host by an emulation of the instructions that
// they use: exact results for every kind of copy, fragment and store, at every kind of edge. Inputs
// are small integers, so that all sums are exact; what no result may depend on is NaN.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "tests/templates/emulation/gemm_case.h"
#include "tests/templates/emulation/machine.h"
#include "tw/families/mma_sync.cuh"

namespace tw {

// The kernel's dynamic shared memory: the extern array of mma_sync::Gemm.
namespace mma_sync {
alignas(1024) char shared[emulation::kSharedBytes];
}  // namespace mma_sync

namespace {

using emulation::CandidateOf;
using emulation::ProblemOf;
using emulation::Size;
using emulation::Traits;
using mma_sync::Plan;

template <class P>
class Case : public emulation::GemmCase<P> {
 public:
  Case(const Size& size, const Plan& plan, std::uint64_t seed)
      : emulation::GemmCase<P>(
            size,
            {plan.copy_bytes_a, plan.copy_bytes_b, plan.split_k > 1 ? 16 : plan.store_bytes},
            emulation::SliceWorkspace<typename P::Acc>(size, plan.split_k),
            seed) {}

  template <Plan kPlan>
  void Run(unsigned blocks) {
    const GemmParams params = this->Params();
    emulation::Machine& machine = this->machine();
    machine.Launch({.blocks = blocks,
                    .threads = static_cast<unsigned>(mma_sync::Threads(kPlan)),
                    .array = mma_sync::shared},
                   [&] { mma_sync::Gemm<P, CandidateOf<kPlan>>::Run(params); });
    if constexpr (kPlan.split_k > 1)
      machine.Launch({.blocks = 2, .threads = 64},
                     [&] { SplitKReduce<P, kPlan.split_k>::Run(params); });
    EXPECT_EQ(machine.error(), "");
  }
};

constexpr Plan MakePlan(Traits traits, int element_bytes, int tile_m, int tile_n, int k_bytes) {
  Plan plan{};
  plan.tile_m = tile_m;
  plan.tile_n = tile_n;
  plan.tile_k = k_bytes / element_bytes;
  plan.warp_m = tile_m < 32 ? 16 : 32;
  plan.warp_n = tile_n < 32 ? 16 : 32;
  plan.stages = 3;
  plan.group_m = 2;
  plan.split_k = 1;
  plan.element_bytes = element_bytes;
  plan.k_major_a = traits.a_row;
  plan.k_major_b = !traits.b_row;
  plan.copy_bytes_a = plan.copy_bytes_b = 16;
  plan.store_bytes = 16;
  plan.min_blocks = 1;
  return plan;
}

constexpr Plan WithCopies(Plan plan, int a, int b, int store) {
  plan.copy_bytes_a = a;
  plan.copy_bytes_b = b;
  plan.store_bytes = store;
  return plan;
}

constexpr Plan WithStages(Plan plan, int stages) {
  plan.stages = stages;
  return plan;
}

constexpr Plan WithSplit(Plan plan, int split_k, int store) {
  plan.split_k = split_k;
  plan.store_bytes = store;
  return plan;
}

constexpr Plan WithWarps(Plan plan, int warp_m, int warp_n) {
  plan.warp_m = warp_m;
  plan.warp_n = warp_n;
  return plan;
}

template <class P, Plan kPlan>
void RunCase(const Size& size, std::uint64_t seed = 1) {
  SCOPED_TRACE("m " + std::to_string(size.m) + " n " + std::to_string(size.n) + " k " +
               std::to_string(size.k) + " batch " + std::to_string(size.batch));
  Case<P> test(size, kPlan, seed);
  const int64 items =
      CeilDiv(size.m, kPlan.tile_m) * CeilDiv(size.n, kPlan.tile_n) * size.batch * kPlan.split_k;
  // A grid that is too small, where the plan says that it may be.
  test.template Run<kPlan>(static_cast<unsigned>(kPlan.huge ? (items + 1) / 2 : items));
  test.Check();
}

// A whole tile and edges in every direction; less than one of anything; no K.
template <class P, Plan kPlan>
void RunSizes() {
  RunCase<P, kPlan>({kPlan.tile_m + 3, kPlan.tile_n + 17, kPlan.tile_k * 3 + 5});
  RunCase<P, kPlan>({5, 7, kPlan.tile_k - 1, 2}, 2);
  RunCase<P, kPlan>({1, 3, 0}, 3);
}

template <class T, class Out, bool kARow, bool kBRow>
void RunLayout() {
  constexpr Traits kTraits{.a_row = kARow, .b_row = kBRow};
  constexpr Traits kColumnD{.a_row = kARow, .b_row = kBRow, .d_row = false};
  constexpr int kBytes = static_cast<int>(sizeof(T));
  constexpr Plan kWide = WithWarps(MakePlan(kColumnD, kBytes, 32, 64, 128), 32, 64);
  RunSizes<ProblemOf<T, Out, kTraits>, MakePlan(kTraits, kBytes, 64, 32, 64)>();
  RunSizes<ProblemOf<T, Out, kColumnD>, WithStages(kWide, 2)>();
}

template <class T, class Out>
void RunLayouts() {
  RunLayout<T, Out, true, false>();
  RunLayout<T, Out, true, true>();
  RunLayout<T, Out, false, false>();
  RunLayout<T, Out, false, true>();
}

TEST(MmaSyncKernel, Bf16InEveryLayout) {
  RunLayouts<bf16, bf16>();
}

TEST(MmaSyncKernel, F16WithF32Output) {
  RunLayouts<f16, float>();
}

TEST(MmaSyncKernel, Tf32InEveryLayout) {
  RunLayouts<tf32, float>();
}

TEST(MmaSyncKernel, S8InEveryLayout) {
  RunLayouts<s8, int>();
}

// A warp's line is 32 elements long at least where a store has 16 of them.
template <class T, class Out, class TB>
void RunNarrowOutputs() {
  constexpr Traits kTraits{};
  constexpr Traits kScaled{.a_row = false,
                           .b_row = true,
                           .d_row = false,
                           .alpha = Scalar::kOther,
                           .beta = Scalar::kOne,
                           .bias = Bias::kRow};
  RunSizes<ProblemOf<T, Out, kTraits, TB>, MakePlan(kTraits, 1, 64, 32, 64)>();
  RunSizes<ProblemOf<T, Out, kTraits, TB>,
           WithCopies(MakePlan(kTraits, 1, 16, 16, 64), 16, 16, 8)>();
  constexpr int kElement = static_cast<int>(sizeof(Out));
  RunSizes<ProblemOf<T, Out, kScaled, TB>,
           WithCopies(MakePlan(kScaled, 1, 32, 64, 64), 4, 1, kElement)>();
}

TEST(MmaSyncKernel, S8WithNarrowOutputs) {
  RunNarrowOutputs<s8, s8, s8>();
  RunNarrowOutputs<s8, bf16, s8>();
}

TEST(MmaSyncKernel, Fp8InEveryPairing) {
  RunLayouts<e4m3, float>();
  RunLayouts<e5m2, f16>();
  RunNarrowOutputs<e4m3, e5m2, e5m2>();
  RunNarrowOutputs<e5m2, e4m3, e4m3>();
}

template <class T, class Out, bool kARow, bool kBRow, int kCopyA, int kCopyB, int kStore>
void RunAlignment() {
  constexpr Traits kTraits{.a_row = kARow, .b_row = kBRow};
  constexpr int kBytes = static_cast<int>(sizeof(T));
  RunSizes<ProblemOf<T, Out, kTraits>,
           WithCopies(MakePlan(kTraits, kBytes, 32, 64, 64), kCopyA, kCopyB, kStore)>();
}

TEST(MmaSyncKernel, NarrowCopies) {
  RunAlignment<bf16, bf16, true, false, 8, 4, 8>();
  RunAlignment<bf16, bf16, false, true, 4, 8, 4>();
  RunAlignment<tf32, float, true, false, 4, 8, 4>();
  RunAlignment<tf32, float, false, true, 8, 4, 8>();
  RunAlignment<s8, int, true, false, 4, 8, 4>();
}

TEST(MmaSyncKernel, CopiesThroughRegisters) {
  RunAlignment<bf16, bf16, true, false, 2, 2, 2>();
  RunAlignment<bf16, bf16, false, true, 2, 2, 2>();
  RunAlignment<bf16, bf16, true, true, 16, 2, 16>();
  RunAlignment<f16, float, false, false, 2, 8, 4>();
  RunAlignment<s8, int, true, false, 1, 1, 4>();
  RunAlignment<s8, int, false, true, 1, 16, 8>();
}

TEST(MmaSyncKernel, OneWarpAndFewRows) {
  constexpr Traits kTraits{};
  using P = ProblemOf<bf16, bf16, kTraits>;
  RunSizes<P, MakePlan(kTraits, 2, 16, 16, 128)>();
  RunSizes<P, WithStages(WithWarps(MakePlan(kTraits, 2, 16, 32, 256), 16, 16), 4)>();
  RunSizes<P, WithCopies(MakePlan(kTraits, 2, 16, 16, 64), 2, 2, 2)>();
}

TEST(MmaSyncKernel, LargeTiles) {
  constexpr Traits kTraits{};
  constexpr Traits kMnMajor{.a_row = false, .b_row = true};
  RunCase<ProblemOf<bf16, bf16, kTraits>, WithWarps(MakePlan(kTraits, 2, 128, 256, 64), 64, 64)>(
      {130, 70, 100});
  RunCase<ProblemOf<bf16, bf16, kMnMajor>, WithWarps(MakePlan(kMnMajor, 2, 256, 128, 64), 64, 64)>(
      {70, 130, 100});
  RunCase<ProblemOf<s8, int, kMnMajor>, WithWarps(MakePlan(kMnMajor, 1, 128, 128, 64), 64, 32)>(
      {100, 120, 100});
}

TEST(MmaSyncKernel, SplitKLeavesTheSumToTheReduction) {
  constexpr Traits kTraits{.alpha = Scalar::kOther, .beta = Scalar::kOther, .bias = Bias::kCol};
  constexpr Traits kColumnD{.d_row = false};
  constexpr Plan kPlan = MakePlan(kTraits, 2, 32, 64, 64);
  using P = ProblemOf<bf16, bf16, kTraits>;
  RunCase<P, WithSplit(kPlan, 3, 16)>({40, 68, 200});
  RunCase<P, WithSplit(kPlan, 4, 8)>({33, 66, 130, 2});
  RunCase<P, WithSplit(kPlan, 2, 4)>({33, 65, 33});
  RunCase<ProblemOf<bf16, bf16, kColumnD>, WithSplit(kPlan, 2, 4)>({33, 65, 100});
}

template <Traits kTraits>
void RunEpilogue() {
  RunSizes<ProblemOf<bf16, bf16, kTraits>, MakePlan(kTraits, 2, 32, 32, 64)>();
  RunSizes<ProblemOf<s8, int, kTraits>, MakePlan(kTraits, 1, 32, 32, 64)>();
}

TEST(MmaSyncKernel, Epilogues) {
  RunEpilogue<Traits{.alpha = Scalar::kOther, .beta = Scalar::kOther}>();
  RunEpilogue<Traits{.d_row = false, .beta = Scalar::kOne, .bias = Bias::kRow}>();
  RunEpilogue<Traits{.alpha = Scalar::kOther, .bias = Bias::kCol}>();
  RunEpilogue<Traits{.alpha = Scalar::kOther, .scale = Scale::kRowCol}>();
  RunEpilogue<Traits{.d_row = false, .bias = Bias::kCol, .scale = Scale::kTensor}>();
  // Neither A nor B exists.
  RunEpilogue<Traits{.alpha = Scalar::kZero, .beta = Scalar::kOne}>();
}

TEST(MmaSyncKernel, BlocksWalkOnWhereTheGridIsTooSmall) {
  constexpr Traits kTraits{};
  constexpr Plan kPlan = [] {
    Plan plan = MakePlan(Traits{}, 2, 32, 32, 64);
    plan.huge = true;
    return plan;
  }();
  RunSizes<ProblemOf<bf16, bf16, kTraits>, kPlan>();
}

// 1 + 2^-11 lies between two tf32 numbers and goes away from zero, to 1 + 2^-10.
TEST(MmaSyncKernel, Tf32OperandsAreRounded) {
  constexpr Traits kTraits{};
  constexpr Plan kPlan = MakePlan(kTraits, 4, 64, 64, 64);
  using P = ProblemOf<tf32, float, kTraits>;
  Case<P> test({16, 16, 16}, kPlan, 7);
  for (int64 row = 0; row < 16; ++row) {
    for (int64 k = 0; k < 16; ++k)
      test.a().At(0, row, k) = {1 + std::ldexp(1.0F, -11)};
  }
  test.Run<kPlan>(1);
  test.Check();
}

}  // namespace
}  // namespace tw
