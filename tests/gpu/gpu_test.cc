// The judge on a real device: its kernels against the CPU, and faulty candidates that it must
// catch. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu_fixture.h"
#include "tests/tuner/measure/problems.h"
#include "tuner/device/fake_kernels.h"
#include "tuner/device/host_elements.h"

namespace tw {
namespace {

const TypeSet kF32Types{DType::kF32, DType::kF32, DType::kF32};
const TypeSet kBf16Types{DType::kBf16, DType::kBf16, DType::kF32};

template <class T>
std::vector<T> ReadValues(Device& device, const T* from, std::int64_t count) {
  std::vector<T> host(static_cast<std::size_t>(count));
  const Status read = device.Memory().Read(std::as_writable_bytes(std::span(host)),
                                           std::bit_cast<DeviceAddress>(from));
  EXPECT_TRUE(read.ok()) << read.ToString();
  return host;
}

TEST(Gpu, ProbeFindsAPlausibleDevice) {
  TW_REQUIRE_GPU(gpu);
  const DeviceSpec& spec = gpu.device().Spec();
  EXPECT_TRUE(spec.uuid.starts_with("GPU-") || spec.uuid.starts_with("MIG-")) << spec.uuid;
  EXPECT_GE(spec.cc(), 75);
  EXPECT_GT(spec.sm_count, 0);
  EXPECT_GT(spec.l2_bytes, 0);
  EXPECT_GT(spec.dram_bytes_per_s, 1e11);
  EXPECT_GT(spec.smem_per_block_optin, 48 << 10);
  std::printf("device: %s %s %s, %d SMs, L2 %lld MiB, %.2f TB/s\n", spec.name.c_str(),
              spec.arch.c_str(), spec.uuid.c_str(), spec.sm_count,
              static_cast<long long>(spec.l2_bytes >> 20U), spec.dram_bytes_per_s * 1e-12);
}

class GpuTypes : public testing::TestWithParam<TypeSet> {};

// Everything between and around the elements is still poison, and the elements look filled.
void ExpectFilled(const std::vector<std::byte>& bytes, const MatrixView& view, DType type) {
  const std::int64_t size = BytesOf(type);
  double sum = 0;
  double squares = 0;
  for (std::int64_t slot = 0; slot * size < static_cast<std::int64_t>(bytes.size()); ++slot) {
    const std::byte* at = bytes.data() + slot * size;
    if (IsElement(view, slot)) {
      const double value = LoadElement(type, at);
      ASSERT_TRUE(std::isfinite(value));
      sum += value;
      squares += value * value;
    } else {
      ASSERT_EQ(std::to_integer<int>(at[0]), PoisonOf(type)) << slot;
    }
  }
  const auto count = static_cast<double>(view.Count());
  const double deviation = std::sqrt(squares / count);
  const double expected = type == DType::kS8 ? 2.9 : type == DType::kS32 ? 100 : 1;
  EXPECT_NEAR(deviation, expected, 0.4 * expected);
  EXPECT_LT(std::abs(sum / count), 5 * expected / std::sqrt(count));
}

TEST_P(GpuTypes, FillAndReferenceAgreeWithTheCpu) {
  TW_REQUIRE_GPU(gpu);
  for (const GemmProblem& problem : VariantsOf(GetParam())) {
    SCOPED_TRACE(CanonicalText(problem));
    Device& device = gpu.device();
    SupportKernels support = SupportKernels::Load(device, gpu.CompileSupport(problem)).value();
    const Trial trial = Trial::Make(device, support, problem, {FillPattern::kNormal, 3}).value();
    ASSERT_TRUE(device.Synchronize().ok());
    // The same operands on the host.
    GemmParams params = trial.Params(0, 0);
    std::vector<std::vector<std::byte>> host;
    const void** slots[] = {&params.a, &params.b, &params.c, &params.bias};
    for (Part part : {Part::kA, Part::kB, Part::kC, Part::kBias}) {
      const auto index = static_cast<std::size_t>(part);
      const MatrixView view = ViewOf(problem, part);
      if (!IsUsed(problem, part))
        continue;
      host.push_back(
          ReadBytes(device, *slots[index], SpanOf(view) * BytesOf(TypeOf(problem, part))));
      ExpectFilled(host.back(), view, TypeOf(problem, part));
      *slots[index] = host.back().data();
    }
    const float** scales[] = {&params.scale_a, &params.scale_b};
    for (Part part : {Part::kScaleA, Part::kScaleB}) {
      if (!IsUsed(problem, part))
        continue;
      const float** scale = scales[part == Part::kScaleA ? 0 : 1];
      host.push_back(ReadBytes(device, *scale, ViewOf(problem, part).Count() * 4));
      *scale = reinterpret_cast<const float*>(host.back().data());
    }
    const std::int64_t count = ViewOf(problem, Part::kD).Count();
    std::vector<double> want(static_cast<std::size_t>(count));
    std::vector<float> want_magnitude(static_cast<std::size_t>(count));
    FakeKernels(problem).Reference({params, {}, want.data(), want_magnitude.data()});
    const CompareParams comparison = trial.Comparison(0);
    const auto got = ReadValues(device, comparison.reference, count);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto magnitude = static_cast<double>(want_magnitude[i]);
      ASSERT_NEAR(got[i], want[i], 1e-14 * magnitude + 1e-300) << i;
    }
    if (comparison.magnitude != nullptr) {
      const auto magnitude = ReadValues(device, comparison.magnitude, count);
      for (std::size_t i = 0; i < magnitude.size(); ++i)
        ASSERT_NEAR(magnitude[i], want_magnitude[i], 1e-4F * want_magnitude[i]) << i;
    }
  }
}

TEST_P(GpuTypes, ARightCandidateIsMeasured) {
  TW_REQUIRE_GPU(gpu);
  for (const GemmProblem& problem : VariantsOf(GetParam())) {
    const BenchmarkOutcome outcome = gpu.Judge(problem, Fault::kNone);
    EXPECT_EQ(outcome.kind, OutcomeKind::kMeasured)
        << CanonicalText(problem) << ": " << outcome.rule << " " << outcome.detail;
    EXPECT_LE(outcome.error_ratio, 1.0);
  }
}

TEST_P(GpuTypes, FaultsAreNamed) {
  TW_REQUIRE_GPU(gpu);

  struct Row {
    Fault fault;
    std::string rule;
  };

  const bool integer = Info(GetParam().d).integer;
  const std::vector<Row> rows{
      {Fault::kDropsLastTerm, "wrong_element"},
      {Fault::kSkipsLastElement, "unwritten"},
      {Fault::kWritesNan, integer ? "wrong_element" : "nan"},
      {Fault::kWritesPastD, "out_of_bounds_write"},
      // f64 arithmetic hands on the bits of a NaN: D then looks as poisoned as A's surroundings.
      {Fault::kReadsPastA, Info(GetParam().ab).integer   ? "wrong_element"
                           : GetParam().d == DType::kF64 ? "unwritten"
                                                         : "nan"},
  };
  const GemmProblem problem = VariantsOf(GetParam())[0];
  for (const Row& row : rows) {
    const BenchmarkOutcome outcome = gpu.Judge(problem, row.fault);
    EXPECT_EQ(outcome.kind, OutcomeKind::kWrongResult) << static_cast<int>(row.fault);
    EXPECT_EQ(outcome.rule, row.rule) << static_cast<int>(row.fault) << " " << outcome.detail;
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuTypes, testing::ValuesIn(kTypeSets), [](const auto& param) {
  return NameOf(param.param);
});

TEST(Gpu, PartialSumsIn16BitsAreWrong) {
  TW_REQUIRE_GPU(gpu);
  const GemmProblem problem = Normalize(Product(64, 64, 4096, kBf16Types)).value();
  EXPECT_EQ(gpu.Judge(problem, Fault::kHalfPrecisionSums).rule, "wrong_element");
}

TEST(Gpu, Tf32OperandsMustBeRounded) {
  TW_REQUIRE_GPU(gpu);
  const TypeSet tf32{DType::kTf32, DType::kF32, DType::kF32};
  const GemmProblem problem = Normalize(Product(64, 64, 512, tf32)).value();
  EXPECT_EQ(gpu.Judge(problem, Fault::kNone).kind, OutcomeKind::kMeasured);
  EXPECT_EQ(gpu.Judge(problem, Fault::kTruncatesTf32).rule, "wrong_element");
}

TEST(Gpu, OtherBitsInASecondRunAreNondeterministic) {
  TW_REQUIRE_GPU(gpu);
  // Too deep for a trial that is exact, where one bit would be a wrong element.
  const GemmProblem problem = Normalize(Product(8, 8, (1 << 20) + 8, kF32Types)).value();
  EXPECT_EQ(gpu.Judge(problem, Fault::kDiffersByRun).rule, "nondeterministic");
}

TEST(Gpu, LongSumsRaiseNoFalseAlarm) {
  TW_REQUIRE_GPU(gpu);
  for (const TypeSet& types : {kF32Types, kBf16Types}) {
    const GemmProblem problem = Normalize(Product(128, 128, 65536, types)).value();
    const BenchmarkOutcome outcome = gpu.Judge(problem, Fault::kNone);
    EXPECT_EQ(outcome.kind, OutcomeKind::kMeasured) << outcome.detail;
    std::printf("K 65536 %s: error ratio %.3f\n", std::string(Name(types.ab)).c_str(),
                outcome.error_ratio);
  }
}

TEST(Gpu, TheReferenceOfALargeProductIsQuick) {
  TW_REQUIRE_GPU(gpu);
  const GemmProblem problem = Normalize(Product(4096, 4096, 4096, kBf16Types)).value();
  const BenchmarkJob job{.device_uuid = gpu.device().Spec().uuid,
                         .problem = problem,
                         .support = gpu.CompileSupport(problem),
                         .options = {}};
  const auto session = JudgeSession::Open(gpu.device(), gpu.clock(), job);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  std::printf("4096^3: operands and five references in %.1f ms\n",
              1e3 * session.value()->reference_seconds());
}

// Last, since they spoil the context for this process: each in a process of its own under ctest.
TEST(GpuSticky, ALoadThatAssumesMoreAlignmentThanPromised) {
  TW_REQUIRE_GPU(gpu);
  GemmProblem problem = Product(64, 64, 64, kF32Types);
  problem.a.align_bytes = 4;
  const BenchmarkOutcome outcome = gpu.Judge(Normalize(problem).value(), Fault::kWideLoad);
  EXPECT_EQ(outcome.rule, "sticky_cuda_error");
  EXPECT_THAT(outcome.detail, testing::HasSubstr("CUDA error 716"));
}

TEST(GpuSticky, AnIllegalAddressIsACrash) {
  TW_REQUIRE_GPU(gpu);
  const BenchmarkOutcome outcome =
      gpu.Judge(Normalize(Product(64, 64, 64, kF32Types)).value(), Fault::kIllegalAddress);
  EXPECT_EQ(outcome.kind, OutcomeKind::kCrashed);
  EXPECT_EQ(outcome.rule, "sticky_cuda_error");
  EXPECT_THAT(outcome.detail, testing::HasSubstr("CUDA error 700"));
}

}  // namespace
}  // namespace tw
