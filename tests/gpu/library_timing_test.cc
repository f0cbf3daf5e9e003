// The stopwatch over the vendor's library: an algorithm beside itself, and what the library does
// with an odd K. Figures for people; see docs/measuring.md.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gpu_fixture.h"
#include "tests/tuner/measure/problems.h"
#include "tuner/measure/library_contestant.h"
#include "tuner/measure/memory_plan.h"
#include "tuner/measure/self_check.h"
#include "tuner/measure/timed_buffers.h"
#include "tuner/measure/timing.h"

namespace tw {
namespace {

const TypeSet kBf16Types{DType::kBf16, DType::kBf16, DType::kF32};

GemmProblem Bf16(std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem p = Product(m, n, k, kBf16Types);
  p.b.major = Major::kCol;
  return Normalize(p).value();
}

// Its first choice in turns with itself, five times, and 20 more that must never be told apart.
void CheckBesideItself(const GemmProblem& problem) {
  TW_REQUIRE_GPU(gpu);
  Device& device = gpu.device();
  auto library = device.OpenGemmLibrary(problem);
  if (!library.ok())
    GTEST_SKIP() << "NO LIBRARY TESTED: " << library.status().ToString();
  const auto algorithms = (*library)->Algorithms(64 << 20).value();
  ASSERT_FALSE(algorithms.empty());
  const LibraryContestant first(**library, algorithms.front());

  auto support = SupportKernels::Load(device, gpu.CompileSupport(problem)).value();
  const MemoryPlan plan = PlanMemory(problem, Objective::kCold,
                                     {device.Memory().FreeBytes().value(), device.Spec().l2_bytes})
                              .value();
  auto buffers = TimedBuffers::Make(device, support, problem,
                                    {.copies = plan.copies, .seed = 1, .unread_c = 0});
  ASSERT_TRUE(buffers.ok()) << buffers.status().ToString();
  TimingRig rig(device, gpu.clock(), *buffers, {});
  const auto rows = CheckStopwatch(rig, first, nullptr, {}, {});
  ASSERT_TRUE(rows.ok()) << rows.status().ToString();
  for (const SelfCheckRow& row : *rows) {
    std::printf("%8.2f us  %-9s  %.4f [%.4f, %.4f]  %d pairs\n", row.time_ns / 1e3,
                row.check.c_str(), row.ratio.ratio, row.ratio.low, row.ratio.high, row.ratio.pairs);
    EXPECT_TRUE(row.passed);
  }
}

TEST(LibraryTiming, AShortProductBesideItself) {
  CheckBesideItself(Bf16(2048, 2048, 2048));
}

TEST(LibraryTiming, ALongProductBesideItself) {
  CheckBesideItself(Bf16(8192, 8192, 8192));
}

// Which algorithms for an odd K compute it, by operands. With all ones D is K, which bf16 rounds.
TEST(LibraryOddK, WhichAlgorithmsAreRight) {
  TW_REQUIRE_GPU(gpu);
  for (std::int64_t k : {2047, 2048}) {
    const GemmProblem problem = Bf16(2048, 2048, k);
    auto library = gpu.device().OpenGemmLibrary(problem);
    if (!library.ok())
      GTEST_SKIP() << "NO LIBRARY TESTED: " << library.status().ToString();
    auto support = SupportKernels::Load(gpu.device(), gpu.CompileSupport(problem)).value();
    for (FillPattern pattern : {FillPattern::kOnes, FillPattern::kIntegers, FillPattern::kNormal}) {
      auto verifier =
          Verifier::Open(gpu.device(), support, problem, {.seed = 1, .trials = {pattern}}).value();
      for (const LibraryAlgorithm& algorithm : (*library)->Algorithms(64 << 20).value()) {
        const LibraryContestant contestant(**library, algorithm);
        const Verdict verdict = verifier->Check(contestant, {.in_place = false}).value();
        std::printf("k %lld fill %d #%d %s: %s error ratio %.3f %s\n", static_cast<long long>(k),
                    static_cast<int>(pattern), algorithm.index, algorithm.description.c_str(),
                    verdict.ok() ? "right" : verdict.rule.c_str(), verdict.error_ratio,
                    verdict.detail.c_str());
      }
    }
  }
}

}  // namespace
}  // namespace tw
