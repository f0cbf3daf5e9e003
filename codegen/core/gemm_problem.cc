// Sizes of a normalised problem.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/gemm_problem.h"

#include <algorithm>

#include "codegen/core/problem_names.h"

namespace tw {
namespace {

// Bytes of the distinct batch items, padding not counted.
double DistinctBytes(const Operand& op, std::int64_t rows, std::int64_t cols, std::int64_t batch) {
  const std::int64_t items = op.batch_stride == 0 ? std::min<std::int64_t>(batch, 1) : batch;
  return static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(items) *
         BytesOf(op.type);
}

}  // namespace

std::string Text(const NumericsContract& contract) {
  std::string text = contract.deterministic ? "det" : "nondet";
  if (contract.batch_invariant)
    text.append("+binv");
  return text;
}

std::string_view Name(Objective objective) {
  return EnumName(objective);
}

DType BiasType(const GemmProblem& problem) {
  return BytesOf(problem.d.type) == 1 ? DType::kF32 : problem.d.type;
}

std::int64_t PackedLd(std::int64_t rows, std::int64_t cols, Major major) {
  return std::max<std::int64_t>(1, major == Major::kRow ? cols : rows);
}

std::int64_t SpanElements(const Operand& op,
                          std::int64_t rows,
                          std::int64_t cols,
                          std::int64_t batch) {
  if (rows == 0 || cols == 0 || batch == 0)
    return 0;
  const std::int64_t lines = op.major == Major::kRow ? rows : cols;
  const std::int64_t line_length = op.major == Major::kRow ? cols : rows;
  return (batch - 1) * op.batch_stride + (lines - 1) * op.ld + line_length;
}

int RowAlignment(const Operand& op, std::int64_t batch) {
  // The lowest set bit of a bitwise or is the gcd of the powers of two. Only the low bits count,
  // so products may wrap.
  const auto bytes = static_cast<std::uint64_t>(BytesOf(op.type));
  std::uint64_t bits = 16U | static_cast<std::uint64_t>(op.align_bytes);
  bits |= static_cast<std::uint64_t>(op.ld) * bytes;
  if (batch > 1)
    bits |= static_cast<std::uint64_t>(op.batch_stride) * bytes;
  return static_cast<int>(bits & (~bits + 1));
}

double Flops(const GemmProblem& problem) {
  return 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
         static_cast<double>(problem.k) * static_cast<double>(problem.batch);
}

double MinimumBytes(const GemmProblem& p) {
  double bytes = DistinctBytes(p.d, p.m, p.n, p.batch);
  if (IsEmpty(p))
    return bytes;
  if (p.alpha != ScalarKind::kZero)
    bytes += DistinctBytes(p.a, p.m, p.k, p.batch) + DistinctBytes(p.b, p.k, p.n, p.batch);
  if (p.beta != ScalarKind::kZero)
    bytes += DistinctBytes(p.c, p.m, p.n, p.batch);
  return bytes;
}

}  // namespace tw
