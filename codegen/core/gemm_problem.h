// The problem: D = act(alpha * A*B + bias + beta * C)... see Epilogue for the exact order, for each
// of `batch` items. A is MxK, B is KxN, C and D are MxN. All sizes, leading dimensions and strides
// are 64-bit counts of elements. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "codegen/core/dtype.h"
#include "codegen/core/status.h"

namespace tw {

enum class Major : std::uint8_t { kRow, kCol };

// What is known of a scalar at compile time. 0: its operands are never read; 1: no multiply.
enum class ScalarKind : std::uint8_t { kZero, kOne, kOther };

enum class BiasKind : std::uint8_t { kNone, kCol, kRow };  // kCol: one value per column (N of them)

// fp32 factors of A*B that all batch items share: kTensor one of A and one of B, kRowCol one of
// each row of A and one of each column of B.
enum class ScaleKind : std::uint8_t { kNone, kTensor, kRowCol, kBlock128 };

// For ld and batch_stride before Normalize: PackedLd(), and lines * ld (lines: rows of a kRow
// matrix, columns of a kCol one).
inline constexpr std::int64_t kPacked = std::numeric_limits<std::int64_t>::min();

struct Operand {
  DType type = DType::kF32;
  Major major = Major::kRow;
  std::int64_t ld = kPacked;  // elements between consecutive rows (kRow) or columns (kCol)
  std::int64_t batch_stride = kPacked;  // elements between batch items; 0 broadcasts (not for D)
  std::int64_t align_bytes = 16;        // guaranteed alignment of the base pointer; a power of two

  friend bool operator==(const Operand&, const Operand&) = default;
};

// Order (product contract): x = alpha * scale * AB; x += bias; x = activation(x); x += beta * C;
// store.
struct Epilogue {
  BiasKind bias = BiasKind::kNone;  // bias has the type of D, or f32 where D is an 8-bit type
  std::string activation = "none";  // a row of activation.h
  ScaleKind scale = ScaleKind::kNone;

  friend bool operator==(const Epilogue&, const Epilogue&) = default;
};

struct GemmProblem {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  Operand a{}, b{}, c{}, d{};
  DType acc = DType::kF32;
  ScalarKind alpha = ScalarKind::kOne;
  ScalarKind beta = ScalarKind::kZero;
  Epilogue epilogue{};
  bool fp8_fast_accumulate = false;

  friend bool operator==(const GemmProblem&, const GemmProblem&) = default;
};

// Part of the result key: what the caller may rely on besides the values' accuracy.
struct NumericsContract {
  bool deterministic = true;     // same bits on every run
  bool batch_invariant = false;  // a row's bits do not depend on M

  friend bool operator==(const NumericsContract&, const NumericsContract&) = default;
};

std::string Text(const NumericsContract& contract);  // "det", "nondet", "det+binv"

// How a product is run that a measurement is of. Part of the result key.
enum class Objective : std::uint8_t {
  kCold,  // operands not in the L2
  kWarm,  // operands of the launch before
  kPdl,   // cold, and a kernel that can starts before the launch before it has ended
};

std::string_view Name(Objective objective);

// Checks every field (checked 64-bit arithmetic on every size product) and resolves kPacked, so
// that problems with the same meaning compare equal: an ld or stride that no address depends on
// (a single row, batch = 1) becomes the packed value; C's layout is D's when beta is 0.
// InvalidArgument names field, value and rule; Unimplemented what the contract knows but no
// family carries yet (scales of blocks, f16 accumulation).
Result<GemmProblem> Normalize(GemmProblem problem);

// Canonical, versioned text of a normalised problem: the part of the store's key that describes
// it. Equal texts mean equal problems. Requires: normalised.
std::string CanonicalText(const GemmProblem& problem);

// Inverse of CanonicalText. InvalidArgument for anything else, other versions included.
Result<GemmProblem> ParseCanonicalText(std::string_view text);

// Type of the bias: D's, or f32 where D's is an 8-bit type.
DType BiasType(const GemmProblem& problem);

// Smallest legal leading dimension of a rows x cols matrix: cols (kRow) or rows (kCol), at least 1.
std::int64_t PackedLd(std::int64_t rows, std::int64_t cols, Major major);

// Elements from the first to one past the last one addressed, all batch items included.
// Requires: normalised.
std::int64_t SpanElements(const Operand& op,
                          std::int64_t rows,
                          std::int64_t cols,
                          std::int64_t batch);

// The largest power of two, at most 16, that divides the address of every row (column) start of
// every batch item, in bytes. Requires: normalised.
int RowAlignment(const Operand& op, std::int64_t batch);

// 2*m*n*k*batch. Requires: normalised.
double Flops(const GemmProblem& problem);

// Bytes of A, B (each distinct batch item once), D, and C where beta != 0. Requires: normalised.
double MinimumBytes(const GemmProblem& problem);

// True where there is nothing to launch: m, n or batch is 0.
inline bool IsEmpty(const GemmProblem& p) {
  return p.m == 0 || p.n == 0 || p.batch == 0;
}

}  // namespace tw
