// SPDX-License-Identifier: Apache-2.0
#include "edge_problems.h"

#include <algorithm>
#include <array>
#include <random>

#include <gtest/gtest.h>

#include "tests/codegen/core/any_activation.h"

namespace tw {
namespace {

constexpr std::array<std::int64_t, 4> kEdgeSizes{1, 3, 17, 1021};

struct Types {
  DType a, b, acc, d, c;
};

// Every type of the contract, some with another type of C.
constexpr std::array<Types, 15> kTypes = {{
    {DType::kF32, DType::kF32, DType::kF32, DType::kF32, DType::kF32},
    {DType::kBf16, DType::kBf16, DType::kF32, DType::kBf16, DType::kBf16},
    {DType::kS8, DType::kS8, DType::kS32, DType::kS32, DType::kS32},
    {DType::kTf32, DType::kTf32, DType::kF32, DType::kF32, DType::kF32},
    {DType::kF16, DType::kF16, DType::kF32, DType::kF16, DType::kF16},
    {DType::kF64, DType::kF64, DType::kF64, DType::kF64, DType::kF64},
    {DType::kE4m3, DType::kE4m3, DType::kF32, DType::kBf16, DType::kBf16},
    {DType::kF16, DType::kF16, DType::kF32, DType::kF32, DType::kF32},
    {DType::kS8, DType::kS8, DType::kS32, DType::kS8, DType::kS8},
    {DType::kBf16, DType::kBf16, DType::kF32, DType::kBf16, DType::kF32},
    {DType::kE4m3, DType::kE5m2, DType::kF32, DType::kE4m3, DType::kBf16},
    {DType::kBf16, DType::kBf16, DType::kF32, DType::kF32, DType::kF32},
    {DType::kE5m2, DType::kE5m2, DType::kF32, DType::kE5m2, DType::kE5m2},
    {DType::kS8, DType::kS8, DType::kS32, DType::kBf16, DType::kF32},
    {DType::kE5m2, DType::kE4m3, DType::kF32, DType::kF16, DType::kF16},
}};

using Rng = std::mt19937_64;

bool Coin(Rng& rng) {
  return (rng() & 1U) != 0;
}

Major RandomMajor(Rng& rng) {
  return Coin(rng) ? Major::kRow : Major::kCol;
}

// Loose strides: a padded leading dimension, gaps between batch items, broadcast, any alignment.
Operand RandomOperand(DType type, std::int64_t rows, std::int64_t cols, Rng& rng) {
  Operand op{.type = type, .major = RandomMajor(rng)};
  if (Coin(rng))
    op.ld = PackedLd(rows, cols, op.major) + std::array<std::int64_t, 4>{1, 3, 8, 64}[rng() % 4];
  if (Coin(rng)) {
    const std::int64_t ld = op.ld == kPacked ? PackedLd(rows, cols, op.major) : op.ld;
    op.batch_stride = ld * std::max<std::int64_t>(1, op.major == Major::kRow ? rows : cols) + 5;
  }
  const std::int64_t size = BytesOf(type);
  op.align_bytes =
      std::max<std::int64_t>(size, std::array<std::int64_t, 3>{size, 4, 16}[rng() % 3]);
  return op;
}

struct Size {
  std::int64_t m, n, k;
};

GemmProblem RandomProblem(const Size& size, const Types& types, Rng& rng) {
  GemmProblem p{.m = size.m, .n = size.n, .k = size.k, .batch = Coin(rng) ? 3 : 1};
  p.a = RandomOperand(types.a, p.m, p.k, rng);
  p.b = RandomOperand(types.b, p.k, p.n, rng);
  p.d = RandomOperand(types.d, p.m, p.n, rng);
  p.c = RandomOperand(types.c, p.m, p.n, rng);
  if (rng() % 6 == 0)
    p.b.batch_stride = 0;
  p.acc = types.acc;
  p.alpha = std::array{ScalarKind::kOne, ScalarKind::kOther, ScalarKind::kOne,
                       ScalarKind::kZero}[rng() % 4];
  p.beta = std::array{ScalarKind::kZero, ScalarKind::kOne, ScalarKind::kOther}[rng() % 3];
  p.epilogue.bias = std::array{BiasKind::kNone, BiasKind::kCol, BiasKind::kRow}[rng() % 3];
  p.epilogue.activation = testing::AnyActivation(rng());
  p.epilogue.scale = std::array{ScaleKind::kNone, ScaleKind::kNone, ScaleKind::kTensor,
                                ScaleKind::kRowCol}[rng() % 4];
  return p;
}

std::int64_t RandomSize(Rng& rng) {
  constexpr std::array kEdges{1,   2,   7,   8,   15,  16,  17,  31,  32,  33,  63,  64,  65,  96,
                              127, 128, 129, 192, 255, 256, 257, 320, 384, 511, 512, 513, 576, 600};
  return rng() % 3 == 0 ? static_cast<std::int64_t>(1 + rng() % 600)
                        : kEdges[rng() % kEdges.size()];
}

void Pack(Operand& op) {
  op.ld = op.batch_stride = kPacked;
  op.align_bytes = 16;
}

GemmProblem RandomFields(Rng& rng) {
  const Size size{RandomSize(rng), RandomSize(rng), RandomSize(rng)};
  GemmProblem p = RandomProblem(size, kTypes[rng() % kTypes.size()], rng);
  for (Operand* op : {&p.a, &p.b, &p.c, &p.d}) {
    if (Coin(rng))
      Pack(*op);
  }
  p.fp8_fast_accumulate = IsFp8(p.a.type) && Coin(rng);
  return p;
}

}  // namespace

std::vector<GemmProblem> FieldProblems(std::uint64_t seed, int count) {
  Rng rng(seed);
  std::vector<GemmProblem> problems;
  for (int i = 0; i < count; ++i) {
    auto p = Normalize(RandomFields(rng));
    EXPECT_TRUE(p.ok()) << p.status().ToString();
    if (p.ok())
      problems.push_back(*std::move(p));
  }
  return problems;
}

std::vector<GemmProblem> EdgeProblems(std::uint64_t seed, int more) {
  Rng rng(seed);
  std::vector<Size> sizes;
  for (std::int64_t m : kEdgeSizes) {
    for (std::int64_t n : kEdgeSizes) {
      for (std::int64_t k : kEdgeSizes)
        sizes.push_back({m, n, k});
    }
  }
  for (int i = 0; i < more; ++i)
    sizes.push_back(
        {std::int64_t(1 + rng() % 300), std::int64_t(1 + rng() % 300), std::int64_t(rng() % 600)});
  std::vector<GemmProblem> problems;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    auto p = Normalize(RandomProblem(sizes[i], kTypes[(i + i / 7) % kTypes.size()], rng));
    EXPECT_TRUE(p.ok()) << p.status().ToString();
    if (p.ok())
      problems.push_back(*std::move(p));
  }
  GemmProblem lda65{.m = 64, .n = 65, .k = 64};
  lda65.a = lda65.b = lda65.c = lda65.d = {.type = DType::kBf16, .ld = 65};
  problems.push_back(Normalize(lda65).value());
  return problems;
}

}  // namespace tw
