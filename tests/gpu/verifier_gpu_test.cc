// The verifier's newer kernels on a real device: fills, tiles, checksums.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gpu_fixture.h"
#include "tests/tuner/measure/problems.h"
#include "tuner/device/fake_kernels.h"
#include "tuner/device/host_elements.h"
#include "tuner/measure/loaded_candidate.h"
#include "tw/verify/pattern.cuh"

namespace tw {
namespace {

class GpuVerifier : public testing::TestWithParam<TypeSet> {};

// Element by element: exact where the pattern draws integers, else as far as the two logarithms
// agree, in the type's own steps.
TEST_P(GpuVerifier, EveryPatternFillsAsTheCpu) {
  TW_REQUIRE_GPU(gpu);
  const GemmProblem problem = VariantsOf(GetParam())[1];
  Device& device = gpu.device();
  SupportKernels support = SupportKernels::Load(device, gpu.CompileSupport(problem)).value();
  FakeKernels cpu(problem);
  for (FillPattern pattern : PatternsFor(problem)) {
    const Trial trial = Trial::Make(device, support, problem, {pattern, 3}).value();
    for (Part part : kOperandParts) {
      if (!IsUsed(problem, part))
        continue;
      const DType type = TypeOf(problem, part);
      MatrixView view = ViewOf(problem, part);
      const auto got = ReadBytes(
          device, DevicePointer<void>(trial.operands()[static_cast<std::size_t>(part)].data()),
          SpanOf(view) * BytesOf(type));
      std::vector<std::byte> want(got.size(), std::byte{PoisonOf(type)});
      view.data = want.data();
      const KAxis axis = part == Part::kA   ? KAxis::kCols
                         : part == Part::kB ? KAxis::kRows
                                            : KAxis::kNone;
      const FillParams fill{view, 1, 0, SeedOf(3, part), pattern};
      if (part == Part::kScaleA || part == Part::kScaleB)
        cpu.FillScales(fill);
      else
        cpu.Fill(fill, type, axis);
      for (std::int64_t i = 0; i < view.Count(); ++i) {
        const std::int64_t at = OffsetOfIndex(view, i) * BytesOf(type);
        const double x = LoadElement(type, want.data() + at);
        const double slack = Info(type).integer ? 1 : std::abs(x) / 64 + 1e-5;
        ASSERT_NEAR(LoadElement(type, got.data() + at), x, DrawsIntegers(pattern) ? 0 : slack)
            << Name(pattern) << " " << static_cast<int>(part) << " " << i;
      }
    }
  }
}

// The sampled way of judging, on problems small enough to spoil one element anywhere.
TEST_P(GpuVerifier, ASampledDIsJudgedByTilesAndChecksums) {
  TW_REQUIRE_GPU(gpu);
  for (GemmProblem problem : VariantsOf(GetParam())) {
    problem.epilogue.activation = "none";
    Device& device = gpu.device();
    SupportKernels support = SupportKernels::Load(device, gpu.CompileSupport(problem)).value();
    const VerifierOptions options{.trials = {FillPattern::kNormal, FillPattern::kIntegers},
                                  .sampled = true};
    const auto verifier = Verifier::Open(device, support, problem, options).value();
    const auto right = LoadedCandidate::Load(device, gpu.Naive(problem, Fault::kNone)).value();
    const Verdict verdict = verifier->Check(right).value();
    EXPECT_TRUE(verdict.ok()) << CanonicalText(problem) << verdict.rule << verdict.detail;
    const auto lazy =
        LoadedCandidate::Load(device, gpu.Naive(problem, Fault::kSkipsLastElement)).value();
    EXPECT_EQ(verifier->Check(lazy).value().rule, "unwritten");
  }
}

// Without the tiles: a difference between the kernels' two ways to sum would show here.
TEST_P(GpuVerifier, ChecksumsFindADroppedTerm) {
  TW_REQUIRE_GPU(gpu);
  GemmProblem problem = VariantsOf(GetParam())[1];
  problem.epilogue.activation = "none";
  problem.epilogue.scale = ScaleKind::kNone;
  if (!Checksums::Apply(problem))
    return;  // a huge D of these types is judged by its sample alone
  Device& device = gpu.device();
  SupportKernels support = SupportKernels::Load(device, gpu.CompileSupport(problem)).value();
  const Trial trial = Trial::Make(device, support, problem, {}).value();
  Checksums::Scratch scratch = Checksums::Scratch::Make(device, problem).value();
  Checksums checksums = Checksums::Make(device, support, problem, scratch, trial).value();
  const std::int64_t bytes = SpanOf(ViewOf(problem, Part::kD)) * BytesOf(problem.d.type);
  const DeviceBuffer d = DeviceBuffer::Allocate(device.Memory(), bytes).value();
  for (Fault fault : {Fault::kNone, Fault::kDropsLastTerm}) {
    const auto candidate = LoadedCandidate::Load(device, gpu.Naive(problem, fault)).value();
    ASSERT_TRUE(candidate.Launch(trial.Params(d.address(), 0)).ok());
    const Verdict verdict = checksums.Check(trial, d.address()).value();
    EXPECT_EQ(verdict.ok(), fault == Fault::kNone) << verdict.detail;
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuVerifier, testing::ValuesIn(kTypeSets), [](const auto& param) {
  return NameOf(param.param);
});

}  // namespace
}  // namespace tw
