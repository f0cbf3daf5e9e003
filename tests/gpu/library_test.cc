// The vendor's library on a real device, judged by our verifier.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu_fixture.h"
#include "tests/tuner/measure/problems.h"

namespace tw {
namespace {

const TypeSet kF32Types{DType::kF32, DType::kF32, DType::kF32};
const TypeSet kBf16Types{DType::kBf16, DType::kBf16, DType::kF32};

struct Case {
  std::string name;
  GemmProblem problem;  // not normalised
};

void PrintTo(const Case& test, std::ostream* out) {
  *out << test.name;
}

// 't': A is stored by columns, B by columns; 'n': by rows. "nt" is what a linear layer does.
GemmProblem Stored(const TypeSet& types, const std::string& layout) {
  GemmProblem p = Product(384, 512, 256, types);
  p.a.major = layout[0] == 't' ? Major::kCol : Major::kRow;
  p.b.major = layout[1] == 't' ? Major::kCol : Major::kRow;
  return p;
}

GemmProblem With(GemmProblem p, const std::function<void(GemmProblem&)>& change) {
  change(p);
  return p;
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const char* layout : {"nn", "nt", "tn", "tt"})
    cases.push_back({std::string("bf16_") + layout, Stored(kBf16Types, layout)});
  cases.push_back({"f32_nn", Stored(kF32Types, "nn")});
  cases.push_back({"f64_tn", Stored({DType::kF64, DType::kF64, DType::kF64}, "tn")});
  cases.push_back({"tf32_nt", Stored({DType::kTf32, DType::kF32, DType::kF32}, "nt")});
  cases.push_back({"s8_nt", Stored({DType::kS8, DType::kS32, DType::kS32}, "nt")});
  cases.push_back(
      {"f16_batch", With(Stored({DType::kF16, DType::kF16, DType::kF32}, "nt"), [](GemmProblem& p) {
         p.batch = 3;
         p.a.batch_stride = 384 * 256 + 64;
         p.b.batch_stride = 0;
       })});
  cases.push_back({"bf16_by_columns", With(Stored(kBf16Types, "nt"), [](GemmProblem& p) {
                     p.d.major = Major::kCol;
                     p.epilogue.bias = BiasKind::kRow;
                   })});
  cases.push_back({"bf16_relu_bias", With(Stored(kBf16Types, "nt"), [](GemmProblem& p) {
                     p.epilogue = {BiasKind::kCol, "relu", ScaleKind::kNone};
                   })});
  cases.push_back({"bf16_beta", With(Stored(kBf16Types, "nt"), [](GemmProblem& p) {
                     p.alpha = ScalarKind::kOther;
                     p.beta = ScalarKind::kOne;
                   })});
  cases.push_back(
      {"bf16_odd_k", With(Stored(kBf16Types, "nt"), [](GemmProblem& p) { p.k = 255; })});
  return cases;
}

void Print(const BaselineReport& report) {
  std::printf("%s%s\n", report.library.c_str(), report.unavailable.c_str());
  for (const BaselineAlgorithm& x : report.algorithms) {
    std::printf("  %d %s workspace %lld: %s %s error %.3f screened %.0f ns %s\n", x.index,
                x.description.c_str(), static_cast<long long>(x.workspace_bytes),
                std::string(Name(x.kind)).c_str(), x.rule.c_str(), x.error_ratio, x.screened_ns,
                x.detail.c_str());
  }
}

class GpuLibrary : public testing::TestWithParam<Case> {};

TEST_P(GpuLibrary, ItsFirstChoiceIsRight) {
  TW_REQUIRE_GPU(gpu);
  const GemmProblem problem = Normalize(GetParam().problem).value();
  auto session = gpu.OpenSession(problem);
  ASSERT_NE(session, nullptr);
  const auto report = session->JudgeLibrary({});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  std::printf("%s: ", GetParam().name.c_str());
  Print(*report);
  if (report->library.empty())
    GTEST_SKIP() << "NO LIBRARY TESTED: " << report->unavailable;
  ASSERT_FALSE(report->algorithms.empty());
  EXPECT_EQ(report->algorithms.front().kind, OutcomeKind::kSkipped) << "right, not timed";
  EXPECT_LE(report->algorithms.front().error_ratio, 1.0);
}

INSTANTIATE_TEST_SUITE_P(All, GpuLibrary, testing::ValuesIn(Cases()), [](const auto& param) {
  return param.param.name;
});

TEST(GpuLibraryBeside, ANaiveKernelIsSlower) {
  TW_REQUIRE_GPU(gpu);
  const GemmProblem problem = Normalize(Product(1024, 1024, 1024, kBf16Types)).value();
  auto session = gpu.OpenSession(problem);
  ASSERT_NE(session, nullptr);
  const auto report = session->CompareWithLibrary(gpu.Naive(problem, Fault::kNone), {});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  Print(*report);
  if (report->library.empty())
    GTEST_SKIP() << "NO LIBRARY TESTED: " << report->unavailable;
  std::printf("ratio over best %.4f [%.4f, %.4f], over first %.4f, ours %.0f ns\n",
              report->over_best.ratio, report->over_best.low, report->over_best.high,
              report->over_first.ratio, report->ours.median_ns);
  EXPECT_EQ(report->verdict, ComparisonVerdict::kSlower);
  EXPECT_LT(report->over_best.ratio, 0.5);
}

}  // namespace
}  // namespace tw
