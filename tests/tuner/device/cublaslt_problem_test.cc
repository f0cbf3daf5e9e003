// The mapped call, carried out on the host by the library's rules, computes the problem.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/cublaslt_problem.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/core/activation.h"
#include "tests/codegen/core/random_problem.h"
#include "tests/tuner/measure/problems.h"
#include "tuner/device/fake_kernels.h"
#include "tuner/device/host_elements.h"
#include "tuner/measure/inputs.h"

namespace tw {
namespace {

using ::testing::HasSubstr;

DType ElementType(CudaDataType type) {
  for (const DTypeInfo& info : AllDTypes()) {
    if (CudaTypeOf(info.type) == type && info.type != DType::kTf32)
      return info.type;
  }
  ADD_FAILURE() << "unknown type";
  return DType::kF32;
}

std::int64_t OffsetOf(const CublasLtMatrix& x,
                      std::int64_t item,
                      std::int64_t row,
                      std::int64_t col) {
  return (item * x.batch_stride + col * x.ld + row) * BytesOf(ElementType(x.type));
}

double Load(const void* data,
            const CublasLtMatrix& x,
            std::int64_t item,
            std::int64_t row,
            std::int64_t col) {
  if (x.transposed)
    std::swap(row, col);
  EXPECT_LT(row, static_cast<std::int64_t>(x.rows));
  EXPECT_LT(col, static_cast<std::int64_t>(x.cols));
  return LoadElement(ElementType(x.type),
                     static_cast<const std::byte*>(data) + OffsetOf(x, item, row, col));
}

// cublasLtMatmul in double precision.
void Matmul(const CublasLtProblem& call, const GemmParams& g) {
  const void* first = call.swapped ? g.b : g.a;
  const void* second = call.swapped ? g.a : g.b;
  const auto rows = static_cast<std::int64_t>(call.d.rows);
  const auto cols = static_cast<std::int64_t>(call.d.cols);
  const auto depth =
      static_cast<std::int64_t>(call.first.transposed ? call.first.rows : call.first.cols);
  const double alpha = LoadElement(call.scale, ScalarBytes(call.scale, g.alpha).data());
  const double beta = LoadElement(call.scale, ScalarBytes(call.scale, g.beta).data());
  for (std::int64_t i = 0; i < call.batch * rows * cols; ++i) {
    const std::int64_t item = i / (rows * cols);
    const std::int64_t row = i % rows;
    const std::int64_t col = i / rows % cols;
    double x = 0;
    for (std::int64_t k = 0; k < depth; ++k)
      x += Load(first, call.first, item, row, k) * Load(second, call.second, item, k, col);
    x *= alpha;
    if (beta != 0)
      x += beta * Load(call.reads_c ? g.c : g.d, call.c, item, row, col);
    if ((call.epilogue & kCublasLtEpilogueBias) != 0) {
      const DType type = ElementType(call.bias_type);
      x += LoadElement(type, static_cast<const std::byte*>(g.bias) + row * BytesOf(type));
    }
    if ((call.epilogue & kCublasLtEpilogueRelu) != 0)
      x = std::max(x, 0.0);
    if ((call.epilogue & kCublasLtEpilogueGelu) != 0)
      x = FindActivation("gelu_tanh")->host(x);
    StoreElement(ElementType(call.d.type), x,
                 static_cast<std::byte*>(g.d) + OffsetOf(call.d, item, row, col));
  }
}

// Small integers in every slot, gaps included.
std::vector<std::byte> Filled(testing::Random& random, const GemmProblem& problem, Part part) {
  const DType type = TypeOf(problem, part);
  const std::int64_t count = SpanOf(ViewOf(problem, part));
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * BytesOf(type)));
  for (std::int64_t i = 0; i < count; ++i)
    StoreElement(type, static_cast<double>(testing::Uniform(random, -2, 2)),
                 bytes.data() + i * BytesOf(type));
  return bytes;
}

void ExpectComputes(testing::Random& random, const GemmProblem& problem) {
  const CublasLtProblem call = ForCublasLt(problem).value();
  const auto a = Filled(random, problem, Part::kA);
  const auto b = Filled(random, problem, Part::kB);
  const auto c = Filled(random, problem, Part::kC);
  const auto bias = Filled(random, problem, Part::kBias);
  auto want = Filled(random, problem, Part::kD);
  auto got = want;
  GemmParams params = ParamsOf(problem);
  params.a = a.data();
  params.b = b.data();
  params.c = c.data();
  params.bias = bias.data();
  params.d = want.data();
  FakeKernels(problem).Candidate(params);
  params.d = got.data();
  Matmul(call, params);
  EXPECT_TRUE(got == want) << CanonicalText(problem);
}

// What the library must be left out of.
bool IsBeyondTheLibrary(const GemmProblem& p) {
  const bool adds_c = p.beta != ScalarKind::kZero;
  const BiasKind fused = p.d.major == Major::kRow ? BiasKind::kCol : BiasKind::kRow;
  return p.k == 0 || p.epilogue.scale != ScaleKind::kNone ||
         (p.a.type == DType::kS8 && p.d.type != DType::kS32) ||
         (BytesOf(p.d.type) == 1 && p.epilogue.bias != BiasKind::kNone) ||
         (adds_c && p.epilogue.activation != "none") || (adds_c && p.c.major != p.d.major) ||
         (p.epilogue.bias != BiasKind::kNone && p.epilogue.bias != fused) ||
         p.epilogue.activation == "gelu_erf" || p.epilogue.activation == "silu";
}

TEST(CublasLtProblem, TheCallComputesTheProblem) {
  constexpr std::uint64_t kSeed = 20;
  constexpr double kMostFlops = 1e6;
  testing::Random random(kSeed);
  int computed = 0;
  int refused = 0;
  while (computed < 300) {
    const GemmProblem problem = Normalize(testing::RandomProblem(random)).value();
    if (IsEmpty(problem) || Flops(problem) > kMostFlops)
      continue;
    if (IsBeyondTheLibrary(problem)) {
      EXPECT_EQ(ForCublasLt(problem).status().code(), StatusCode::kUnimplemented)
          << CanonicalText(problem);
      ++refused;
      continue;
    }
    ASSERT_TRUE(ForCublasLt(problem).ok()) << CanonicalText(problem);
    if (problem.alpha == ScalarKind::kZero)
      continue;  // nothing of A and B to get wrong
    ExpectComputes(random, problem);
    ++computed;
  }
  EXPECT_GT(refused, 100);
}

GemmProblem Plain(const TypeSet& types) {
  return Normalize(Product(8, 24, 16, types)).value();
}

TEST(CublasLtProblem, RowMajorIsTheTransposedProduct) {
  GemmProblem problem = Product(8, 24, 16, {DType::kBf16, DType::kBf16, DType::kF32});
  problem.b.major = Major::kCol;
  problem.a.align_bytes = 32;
  const CublasLtProblem call = ForCublasLt(Normalize(problem).value()).value();
  EXPECT_TRUE(call.swapped);
  // B is stored as 24 lines of 16: read by columns a 16 x 24 matrix, to be transposed.
  EXPECT_EQ(call.first, (CublasLtMatrix{CudaDataType::kR16BF, 16, 24, 16, 384, 16, true}));
  EXPECT_EQ(call.second, (CublasLtMatrix{CudaDataType::kR16BF, 16, 8, 16, 128, 32, false}));
  EXPECT_EQ(call.d, (CublasLtMatrix{CudaDataType::kR16BF, 24, 8, 24, 192, 16, false}));
  EXPECT_EQ(call.c, call.d);
}

TEST(CublasLtProblem, TypesKeepTheirNumerics) {
  struct Row {
    TypeSet types;
    CublasCompute compute;
    CudaDataType scale;
  };

  using enum DType;
  const Row rows[] = {
      {{kF64, kF64, kF64}, CublasCompute::k64F, CudaDataType::kR64F},
      {{kF32, kF32, kF32}, CublasCompute::k32F, CudaDataType::kR32F},
      {{kTf32, kF32, kF32}, CublasCompute::k32FFastTf32, CudaDataType::kR32F},
      {{kF16, kF32, kF32}, CublasCompute::k32F, CudaDataType::kR32F},
      {{kBf16, kBf16, kF32}, CublasCompute::k32F, CudaDataType::kR32F},
      {{kS8, kS32, kS32}, CublasCompute::k32I, CudaDataType::kR32I},
  };
  for (const Row& row : rows) {
    const CublasLtProblem call = ForCublasLt(Plain(row.types)).value();
    EXPECT_EQ(call.compute, row.compute) << Name(row.types.ab);
    EXPECT_EQ(CudaTypeOf(call.scale), row.scale) << Name(row.types.ab);
    EXPECT_EQ(call.d.type, CudaTypeOf(row.types.d)) << Name(row.types.ab);
  }
}

TEST(CublasLtProblem, ReducedPrecisionOnlyWhereTheProblemAsksForIt) {
  GemmProblem half = Plain({DType::kF16, DType::kF16, DType::kF32});
  half.acc = DType::kF16;
  const CublasLtProblem call = ForCublasLt(half).value();
  EXPECT_EQ(call.compute, CublasCompute::k16F);
  EXPECT_EQ(CudaTypeOf(call.scale), CudaDataType::kR16F);
}

TEST(CublasLtProblem, EightBitFloatsAreAddedUpAsTheProblemAsks) {
  GemmProblem fp8 = Plain({DType::kBf16, DType::kBf16, DType::kF32});
  fp8.a.type = DType::kE4m3;
  fp8.b.type = DType::kE5m2;
  EXPECT_FALSE(ForCublasLt(fp8)->fast_accumulate);
  fp8.fp8_fast_accumulate = true;
  EXPECT_TRUE(ForCublasLt(fp8)->fast_accumulate);
}

TEST(CublasLtProblem, ScalarsAreInTheScaleType) {
  const auto one_as_half = ScalarBytes(DType::kF16, 1);
  EXPECT_EQ(std::to_integer<int>(one_as_half[1]), 0x3c);
  const auto three = ScalarBytes(DType::kS32, 3);
  EXPECT_EQ(std::to_integer<int>(three[0]), 3);
}

TEST(CublasLtProblem, ReasonsAreNamed) {
  const TypeSet types{DType::kF32, DType::kF32, DType::kF32};
  GemmProblem bias = Plain(types);
  bias.epilogue.bias = BiasKind::kRow;
  EXPECT_THAT(ForCublasLt(bias).status().message(), HasSubstr("bias per column only"));
  GemmProblem relu = Plain(types);
  relu.epilogue.activation = "relu";
  relu.beta = ScalarKind::kOne;
  EXPECT_THAT(ForCublasLt(relu).status().message(), HasSubstr("before the activation"));
  GemmProblem c = Plain(types);
  c.beta = ScalarKind::kOne;
  c.c.major = Major::kCol;
  EXPECT_THAT(ForCublasLt(c).status().message(), HasSubstr("stored the same way"));
}

}  // namespace
}  // namespace tw
