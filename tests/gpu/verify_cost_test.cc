// What verifying costs: one more candidate of a usual product, and a D of 8 GiB. The vendor's
// library stands in for a candidate.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <memory>

#include <gtest/gtest.h>

#include "gpu_fixture.h"
#include "tests/tuner/measure/problems.h"
#include "tuner/measure/library_contestant.h"
#include "tuner/measure/memory_plan.h"

namespace tw {
namespace {

struct Cost {
  double open_s = 0, check_s = 0;  // wall time
  std::int64_t bytes = 0;          // of device memory
  std::string coverage;
};

class VerifyCost : public testing::Test {
 protected:
  // Checks twice: the second time nothing is allocated any more.
  void Measure(std::int64_t m, std::int64_t n, std::int64_t k, Cost* cost) {
    TW_REQUIRE_GPU(gpu);
    Device& device = gpu.device();
    GemmProblem problem = Product(m, n, k, {DType::kBf16, DType::kBf16, DType::kF32});
    problem.b.major = Major::kCol;
    problem = Normalize(problem).value();
    auto library = device.OpenGemmLibrary(problem);
    if (!library.ok())
      GTEST_SKIP() << "NO COST MEASURED: " << library.status().ToString();
    auto support = SupportKernels::Load(device, gpu.CompileSupport(problem)).value();
    const LibraryContestant first(**library, (*library)->Algorithms(64 << 20).value().front());

    const std::int64_t free_bytes = device.Memory().FreeBytes().value();
    const MemoryPlan plan =
        PlanMemory(problem, Objective::kCold, {free_bytes, device.Spec().l2_bytes}).value();
    const auto start = gpu.clock().Now();
    auto verifier = Verifier::Open(device, support, problem,
                                   {.seed = 1, .trials = plan.trials, .sampled = plan.sampled});
    ASSERT_TRUE(verifier.ok()) << verifier.status().ToString();
    const auto opened = gpu.clock().Now();
    for (int i = 0; i < 2; ++i) {
      const auto before = gpu.clock().Now();
      const auto verdict = (*verifier)->Check(first);
      cost->check_s = std::chrono::duration<double>(gpu.clock().Now() - before).count();
      ASSERT_TRUE(verdict.ok()) << verdict.status().ToString();
      EXPECT_TRUE(verdict->ok()) << verdict->rule << " " << verdict->detail;
      if (i == 0)
        std::printf("first check %.3f s, %zu trials, ", cost->check_s, plan.trials.size());
    }
    cost->open_s = std::chrono::duration<double>(opened - start).count();
    cost->bytes = free_bytes - device.Memory().FreeBytes().value();
    std::printf("%lld x %lld x %lld: open %.3f s, one more check %.4f s, %.2f GiB, %s\n",
                static_cast<long long>(m), static_cast<long long>(n), static_cast<long long>(k),
                cost->open_s, cost->check_s, static_cast<double>(cost->bytes) / (1 << 30),
                (*verifier)->coverage().c_str());
  }
};

TEST_F(VerifyCost, OneMoreCandidateOfAUsualProduct) {
  Cost cost;
  ASSERT_NO_FATAL_FAILURE(Measure(4096, 4096, 4096, &cost));
  EXPECT_LE(cost.check_s, 0.030);
}

TEST_F(VerifyCost, ADOf8GiB) {
  Cost cost;
  ASSERT_NO_FATAL_FAILURE(Measure(32768, 131072, 1024, &cost));
  EXPECT_LE(cost.open_s + cost.check_s, 5.0);
  EXPECT_LE(cost.bytes, std::int64_t{24} << 30);
}

}  // namespace
}  // namespace tw
