// Properties of Normalize over random problems.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "codegen/core/gemm_problem.h"
#include "tests/codegen/core/random_problem.h"

namespace tw {
namespace {

using testing::Random;
using testing::RandomProblem;
using testing::Uniform;

__extension__ using Wide = __int128;

TEST(NormalizeProperty, AcceptsValidProblemsAndIsIdempotent) {
  Random random(7);
  for (int i = 0; i < 5000; ++i) {
    const GemmProblem written = RandomProblem(random);
    const Result<GemmProblem> once = Normalize(written);
    ASSERT_TRUE(once.ok()) << once.status().ToString();
    const Result<GemmProblem> twice = Normalize(*once);
    ASSERT_TRUE(twice.ok()) << twice.status().ToString() << "\n" << CanonicalText(*once);
    ASSERT_EQ(*twice, *once) << CanonicalText(*once);
  }
}

std::int64_t Offset(const Operand& op, std::int64_t item, std::int64_t r, std::int64_t c) {
  return item * op.batch_stride + (op.major == Major::kRow ? r * op.ld + c : c * op.ld + r);
}

struct Extents {
  std::int64_t rows, cols, batch;
};

// The addresses of the corners determine the linear map where nothing was left unset.
void ExpectSameAddresses(const Operand& written, const Operand& normal, const Extents& x) {
  if (written.ld == kPacked || written.batch_stride == kPacked)
    return;
  for (const std::int64_t item : {std::int64_t{0}, x.batch - 1})
    for (const std::int64_t r : {std::int64_t{0}, x.rows - 1})
      for (const std::int64_t c : {std::int64_t{0}, x.cols - 1})
        EXPECT_EQ(Offset(written, item, r, c), Offset(normal, item, r, c));
}

TEST(NormalizeProperty, LeavesEveryAddressAsItWas) {
  Random random(8);
  for (int i = 0; i < 5000; ++i) {
    const GemmProblem written = RandomProblem(random);
    const GemmProblem normal = Normalize(written).value();
    if (IsEmpty(written))
      continue;
    SCOPED_TRACE(CanonicalText(normal));
    ExpectSameAddresses(written.d, normal.d, {written.m, written.n, written.batch});
    if (written.beta != ScalarKind::kZero)
      ExpectSameAddresses(written.c, normal.c, {written.m, written.n, written.batch});
    if (written.k > 0 && written.alpha != ScalarKind::kZero) {
      ExpectSameAddresses(written.a, normal.a, {written.m, written.k, written.batch});
      ExpectSameAddresses(written.b, normal.b, {written.k, written.n, written.batch});
    }
  }
}

// Sizes near powers of two whose products lie near 2^63.
std::int64_t NearPowerOfTwo(Random& random, std::int64_t max_bits) {
  const std::int64_t power = std::int64_t{1} << Uniform(random, 0, max_bits);
  return std::max<std::int64_t>(1, power + Uniform(random, -1, 1));
}

constexpr Wide kLimit = Wide{1} << 63U;

// Bytes from the first to one past the last one addressed.
Wide SpanBytes(const Operand& op, const Extents& x) {
  const bool row = op.major == Major::kRow;
  const Wide lines = row ? x.rows : x.cols;
  const Wide length = row ? x.cols : x.rows;
  return (Wide{x.batch - 1} * op.batch_stride + (lines - 1) * op.ld + length) * BytesOf(op.type);
}

// An unset stride is lines * ld, which must itself be a 64-bit number.
Wide PackedStride(const Operand& op, const Extents& x) {
  return Wide{op.major == Major::kRow ? x.rows : x.cols} * op.ld;
}

TEST(NormalizeProperty, OverflowIsRefusedExactlyWhereItHappens) {
  Random random(9);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    GemmProblem p{.m = NearPowerOfTwo(random, 24),
                  .n = NearPowerOfTwo(random, 24),
                  .k = NearPowerOfTwo(random, 14),
                  .batch = NearPowerOfTwo(random, 3)};
    p.a.ld = p.k + NearPowerOfTwo(random, 50);
    p.a.batch_stride = NearPowerOfTwo(random, 61);
    p.b.major = Major::kCol;
    p.b.ld = p.k + NearPowerOfTwo(random, 40);
    p.b.batch_stride = 0;
    p.d.batch_stride = p.m * p.n;
    const Extents a{p.m, p.k, p.batch};
    const Extents b{p.k, p.n, p.batch};
    if (p.m == 1 || p.n == 1)  // the leading dimension would not count
      continue;
    bool fits = Wide{2} * p.m * p.n * p.k * p.batch < kLimit;
    fits = fits && SpanBytes(p.b, b) < kLimit;
    fits = fits && SpanBytes({p.a.type, p.a.major, p.a.ld, 0}, a) < kLimit;
    if (p.batch > 1)
      fits = fits && SpanBytes(p.a, a) < kLimit;
    else
      fits = fits && PackedStride(p.a, a) < kLimit && PackedStride(p.b, b) < kLimit;
    fits = fits && Wide{p.m} * p.n * p.batch * 4 < kLimit;
    ASSERT_EQ(Normalize(p).ok(), fits)
        << p.m << " " << p.n << " " << p.k << " " << p.batch << " lda " << p.a.ld << " ldb "
        << p.b.ld << " stride_a " << p.a.batch_stride << ": " << Normalize(p).status().ToString();
    ++(fits ? accepted : refused);
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(NormalizeProperty, TheLargestSpansFitAndOneMoreDoesNot) {
  // s8: elements are bytes. Two rows of one element, the second at ld.
  GemmProblem p{.m = 2, .n = 1, .k = 1};
  p.a.type = p.b.type = DType::kS8;
  p.c.type = p.d.type = p.acc = DType::kS32;
  p.a.ld = (std::int64_t{1} << 62U) - 1;  // 2 * ld is the packed stride
  EXPECT_TRUE(Normalize(p).ok());
  p.a.ld += 1;
  EXPECT_FALSE(Normalize(p).ok());
  p.a.ld = kPacked;
  // 2 * m * n * k * batch: 2^62 fits, 2^63 does not.
  p.m = std::int64_t{1} << 30U;
  p.n = std::int64_t{1} << 30U;
  p.k = 2;
  EXPECT_TRUE(Normalize(p).ok()) << Normalize(p).status().ToString();
  p.k = 4;
  EXPECT_FALSE(Normalize(p).ok());
  p.k = 3;
  EXPECT_TRUE(Normalize(p).ok());
}

}  // namespace
}  // namespace tw
