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
constexpr std::array<DType, 6> kTypes{DType::kF32,  DType::kBf16, DType::kS8,
                                      DType::kTf32, DType::kF16,  DType::kF64};

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

GemmProblem RandomProblem(const Size& size, DType type, Rng& rng) {
  const bool s8 = type == DType::kS8;
  const DType out = s8                                                               ? DType::kS32
                    : type == DType::kTf32 || (BytesOf(type) == 2 && rng() % 4 == 0) ? DType::kF32
                                                                                     : type;
  GemmProblem p{.m = size.m, .n = size.n, .k = size.k, .batch = Coin(rng) ? 3 : 1};
  p.a = RandomOperand(type, p.m, p.k, rng);
  p.b = RandomOperand(type, p.k, p.n, rng);
  p.d = RandomOperand(out, p.m, p.n, rng);
  p.c = RandomOperand(out, p.m, p.n, rng);
  if (rng() % 6 == 0)
    p.b.batch_stride = 0;
  p.acc = s8 ? DType::kS32 : type == DType::kF64 ? DType::kF64 : DType::kF32;
  p.alpha = std::array{ScalarKind::kOne, ScalarKind::kOther, ScalarKind::kOne,
                       ScalarKind::kZero}[rng() % 4];
  p.beta = std::array{ScalarKind::kZero, ScalarKind::kOne, ScalarKind::kOther}[rng() % 3];
  p.epilogue.bias = std::array{BiasKind::kNone, BiasKind::kCol, BiasKind::kRow}[rng() % 3];
  p.epilogue.activation = testing::AnyActivation(rng());
  return p;
}

}  // namespace

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
