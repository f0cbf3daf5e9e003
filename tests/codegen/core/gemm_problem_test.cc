// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/gemm_problem.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "tests/codegen/core/random_problem.h"

namespace tw {
namespace {

using testing::Random;
using testing::RandomProblem;

TEST(NumericsContract, Text) {
  EXPECT_EQ(Text(NumericsContract{}), "det");
  EXPECT_EQ(Text(NumericsContract{.deterministic = false}), "nondet");
  EXPECT_EQ(Text(NumericsContract{.batch_invariant = true}), "det+binv");
  EXPECT_EQ(Text(NumericsContract{.deterministic = false, .batch_invariant = true}), "nondet+binv");
}

TEST(Objective, Names) {
  EXPECT_EQ(Name(Objective::kCold), "cold");
  EXPECT_EQ(Name(Objective::kWarm), "warm");
  EXPECT_EQ(Name(Objective::kPdl), "pdl");
}

TEST(PackedLd, IsTheLineLengthAndAtLeastOne) {
  EXPECT_EQ(PackedLd(3, 5, Major::kRow), 5);
  EXPECT_EQ(PackedLd(3, 5, Major::kCol), 3);
  EXPECT_EQ(PackedLd(3, 0, Major::kRow), 1);
  EXPECT_EQ(PackedLd(0, 5, Major::kCol), 1);
}

TEST(SpanElements, KnownValues) {
  const Operand packed{.ld = 64, .batch_stride = 2048};
  EXPECT_EQ(SpanElements(packed, 32, 64, 3), 3 * 32 * 64);
  // 32 x 64 with rows of 65: the last row ends at its 64th element.
  const Operand padded{.ld = 65, .batch_stride = 2080};
  EXPECT_EQ(SpanElements(padded, 32, 64, 1), 31 * 65 + 64);
  EXPECT_EQ(SpanElements(padded, 32, 64, 3), 2 * 65 * 32 + 31 * 65 + 64);
  const Operand column{.major = Major::kCol, .ld = 65, .batch_stride = 5000};
  EXPECT_EQ(SpanElements(column, 64, 32, 3), 2 * 5000 + 31 * 65 + 64);
  const Operand broadcast{.ld = 65, .batch_stride = 0};
  EXPECT_EQ(SpanElements(broadcast, 32, 64, 3), 31 * 65 + 64);
}

TEST(SpanElements, NothingIsAddressedWhereAnExtentIsZero) {
  const Operand op{.ld = 64, .batch_stride = 4096};
  EXPECT_EQ(SpanElements(op, 0, 64, 3), 0);
  EXPECT_EQ(SpanElements(op, 64, 0, 3), 0);
  EXPECT_EQ(SpanElements(op, 64, 64, 0), 0);
}

std::int64_t ElementOffset(const Operand& op, std::int64_t item, std::int64_t r, std::int64_t c) {
  return item * op.batch_stride + (op.major == Major::kRow ? r * op.ld + c : c * op.ld + r);
}

// By brute force over every address of small random problems.
TEST(SpanElements, EndsAfterTheLastAddress) {
  Random random(20240601);
  int compared = 0;
  for (int i = 0; i < 300; ++i) {
    const GemmProblem p = Normalize(RandomProblem(random)).value();
    if (p.m > 40 || p.k > 40 || p.batch > 40)
      continue;
    std::int64_t end = 0;
    for (std::int64_t item = 0; item < p.batch; ++item)
      for (std::int64_t r = 0; r < p.m; ++r)
        for (std::int64_t c = 0; c < p.k; ++c)
          end = std::max(end, ElementOffset(p.a, item, r, c) + 1);
    EXPECT_EQ(SpanElements(p.a, p.m, p.k, p.batch), end) << CanonicalText(p);
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

TEST(RowAlignment, KnownValues) {
  struct Row {
    Operand op;
    std::int64_t batch;
    int bytes;
  };

  const std::vector<Row> rows = {
      {{.type = DType::kBf16, .ld = 64, .batch_stride = 4096}, 1, 16},
      {{.type = DType::kBf16, .ld = 64, .batch_stride = 4096, .align_bytes = 4096}, 1, 16},
      {{.type = DType::kBf16, .ld = 64, .batch_stride = 4096, .align_bytes = 2}, 1, 2},
      {{.type = DType::kBf16, .ld = 65, .batch_stride = 4096}, 1, 2},
      {{.type = DType::kBf16, .ld = 66, .batch_stride = 4096}, 1, 4},
      {{.type = DType::kBf16, .ld = 68, .batch_stride = 4096}, 1, 8},
      {{.type = DType::kF64, .ld = 65, .batch_stride = 4096}, 1, 8},
      {{.type = DType::kS8, .ld = 65, .batch_stride = 4096}, 1, 1},
      {{.type = DType::kF32, .ld = 64, .batch_stride = 4097}, 1, 16},  // one item: no stride
      {{.type = DType::kF32, .ld = 64, .batch_stride = 4097}, 2, 4},
      {{.type = DType::kF32, .ld = 64, .batch_stride = 0}, 2, 16},
  };
  for (const Row& row : rows)
    EXPECT_EQ(RowAlignment(row.op, row.batch), row.bytes)
        << Name(row.op.type) << " ld " << row.op.ld << " stride " << row.op.batch_stride;
}

GemmProblem Bf16Problem() {
  GemmProblem p{.m = 10, .n = 20, .k = 30, .batch = 4};
  for (Operand* op : {&p.a, &p.b, &p.c, &p.d})
    op->type = DType::kBf16;
  return p;
}

TEST(Flops, CountsMultipliesAndAdds) {
  EXPECT_EQ(Flops(Normalize(Bf16Problem()).value()), 2.0 * 10 * 20 * 30 * 4);
}

TEST(MinimumBytes, CountsWhatMustMoveOnce) {
  GemmProblem p = Bf16Problem();
  const double a = 10 * 30 * 2;
  const double b = 30 * 20 * 2;
  const double d = 10 * 20 * 2;
  EXPECT_EQ(MinimumBytes(Normalize(p).value()), 4 * (a + b + d));
  p.b.batch_stride = 0;
  EXPECT_EQ(MinimumBytes(Normalize(p).value()), 4 * (a + d) + b);
  p.beta = ScalarKind::kOther;
  EXPECT_EQ(MinimumBytes(Normalize(p).value()), 4 * (a + d + d) + b);
  p.c.batch_stride = 0;
  EXPECT_EQ(MinimumBytes(Normalize(p).value()), 4 * (a + d) + b + d);
  p.alpha = ScalarKind::kZero;
  EXPECT_EQ(MinimumBytes(Normalize(p).value()), 4 * d + d);
  p.batch = 0;
  EXPECT_EQ(MinimumBytes(Normalize(p).value()), 0);
}

TEST(IsEmpty, OnlyWhereThereIsNoOutput) {
  EXPECT_TRUE(IsEmpty({.m = 0, .n = 1, .k = 1, .batch = 1}));
  EXPECT_TRUE(IsEmpty({.m = 1, .n = 0, .k = 1, .batch = 1}));
  EXPECT_TRUE(IsEmpty({.m = 1, .n = 1, .k = 1, .batch = 0}));
  EXPECT_FALSE(IsEmpty({.m = 1, .n = 1, .k = 0, .batch = 1}));
}

}  // namespace
}  // namespace tw
