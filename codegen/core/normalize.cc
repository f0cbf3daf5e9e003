// Normalize: validation of every field, then one spelling for every meaning.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "codegen/core/activation.h"
#include "codegen/core/gemm_problem.h"
#include "codegen/core/problem_names.h"

namespace tw {
namespace {

constexpr unsigned Bit(DType type) {
  return 1U << static_cast<unsigned>(type);
}

// The type table of the product: what may accumulate and leave a product of A's type. B's type
// is A's, except that the two fp8 types mix.
struct TypeRule {
  DType input;
  unsigned accumulate;
  unsigned output;
};

constexpr unsigned kF32 = Bit(DType::kF32);
constexpr unsigned kHalfOutputs = Bit(DType::kF16) | Bit(DType::kBf16) | kF32;
constexpr unsigned kFp8Outputs = kHalfOutputs | Bit(DType::kE4m3) | Bit(DType::kE5m2);

constexpr std::array<TypeRule, 8> kTypeRules = {{
    {DType::kF64, Bit(DType::kF64), Bit(DType::kF64)},
    {DType::kF32, kF32, kF32},
    {DType::kTf32, kF32, kF32},
    {DType::kF16, kF32 | Bit(DType::kF16), Bit(DType::kF16) | kF32},
    {DType::kBf16, kF32, Bit(DType::kBf16) | kF32},
    {DType::kE4m3, kF32, kFp8Outputs},
    {DType::kE5m2, kF32, kFp8Outputs},
    {DType::kS8, Bit(DType::kS32), Bit(DType::kS32) | Bit(DType::kS8) | kHalfOutputs},
}};

// "f32, f16 or bf16".
std::string ListTypes(unsigned types) {
  std::string text;
  for (const DTypeInfo& info : AllDTypes()) {
    if ((types & Bit(info.type)) == 0)
      continue;
    types &= ~Bit(info.type);
    if (!text.empty())
      text.append(types == 0 ? " or " : ", ");
    text.append(info.name);
  }
  return text;
}

Status CheckTypeIn(std::string_view field, DType type, unsigned allowed, DType input) {
  if ((allowed & Bit(type)) != 0)
    return OkStatus();
  return InvalidField(field, Name(type),
                      "must be " + ListTypes(allowed) + " for dtype " + std::string(Name(input)));
}

Status CheckTypes(const GemmProblem& p) {
  const DType input = p.a.type;
  const auto* const rule = std::find_if(kTypeRules.begin(), kTypeRules.end(),
                                        [&](const TypeRule& r) { return r.input == input; });
  if (rule == kTypeRules.end()) {
    unsigned inputs = 0;
    for (const TypeRule& r : kTypeRules)
      inputs |= Bit(r.input);
    return InvalidField("dtype", Name(input), "must be " + ListTypes(inputs));
  }
  if (p.b.type != input && !(IsFp8(input) && IsFp8(p.b.type))) {
    return InvalidField("dtype", std::string(Name(input)) + " x " + std::string(Name(p.b.type)),
                        "A and B must have the same type");
  }
  TW_RETURN_IF_ERROR(CheckTypeIn("acc", p.acc, rule->accumulate, input));
  TW_RETURN_IF_ERROR(CheckTypeIn("out_dtype", p.d.type, rule->output, input));
  if (p.beta != ScalarKind::kZero)
    TW_RETURN_IF_ERROR(CheckTypeIn("c_dtype", p.c.type, rule->output, input));
  return OkStatus();
}

Status CheckActivation(const std::string& name) {
  if (FindActivation(name) != nullptr)
    return OkStatus();
  std::string rule = "must be one of ";
  for (const Activation& activation : AllActivations()) {
    rule.append(&activation == AllActivations().data() ? "" : ", ").append(activation.name);
  }
  return InvalidField("act", name, rule);
}

Status NotYet(std::string_view field, std::string_view value, std::string_view rule) {
  Status invalid = InvalidField(field, value, rule);
  return {StatusCode::kUnimplemented, invalid.message(), invalid.field()};
}

// What the contract knows and no family carries yet.
Status CheckImplemented(const GemmProblem& p) {
  if (p.acc == DType::kF16)
    return NotYet("acc", "f16", "not implemented yet; f32 is");
  if (p.epilogue.scale == ScaleKind::kBlock128)
    return NotYet("scale", "block128", "not implemented yet; none, tensor and row-col are");
  return OkStatus();
}

// One operand with the extents that its addresses follow.
struct Matrix {
  char letter;  // 'a' in "lda", "stride_a", "align_a"
  Operand* op;
  std::int64_t rows, cols;
  bool addressed;  // false: no element of it is ever read or written

  [[nodiscard]] std::int64_t Lines() const { return op->major == Major::kRow ? rows : cols; }

  [[nodiscard]] std::int64_t LineLength() const { return op->major == Major::kRow ? cols : rows; }

  [[nodiscard]] std::string Field(std::string_view prefix) const {
    return std::string(prefix) + letter;
  }

  [[nodiscard]] std::string Upper() const { return {static_cast<char>(letter - 'a' + 'A')}; }
};

Status TooLarge(const Matrix& x, std::string_view prefix, std::int64_t value) {
  return InvalidField(x.Field(prefix), std::to_string(value),
                      x.Upper() + " must span less than 2^63 bytes");
}

// The usual stride of batch items that follow each other: lines * ld.
Result<std::int64_t> PackedStride(const Matrix& x) {
  std::int64_t stride = 0;
  if (__builtin_mul_overflow(x.Lines(), x.op->ld, &stride))
    return TooLarge(x, "ld", x.op->ld);
  return stride;
}

Status CheckRanges(const Matrix& x) {
  const std::int64_t packed = PackedLd(x.rows, x.cols, x.op->major);
  if (x.op->ld != kPacked && x.op->ld < packed) {
    return InvalidField(x.Field("ld"), std::to_string(x.op->ld),
                        "must be >= " + std::to_string(packed));
  }
  if (x.op->batch_stride != kPacked && x.op->batch_stride < 0) {
    return InvalidField(x.Field("stride_"), std::to_string(x.op->batch_stride), "must be >= 0");
  }
  const std::int64_t align = x.op->align_bytes;
  constexpr std::int64_t kMaxAlign = 4096;
  const int element = BytesOf(x.op->type);
  if (align < element || align > kMaxAlign ||
      !std::has_single_bit(static_cast<std::uint64_t>(align))) {
    return InvalidField(x.Field("align_"), std::to_string(align),
                        "must be a power of two from " + std::to_string(element) + " to 4096");
  }
  return OkStatus();
}

// Replaces kPacked, then every value that no address depends on.
Status ResolveLayout(const Matrix& x, std::int64_t batch) {
  Operand& op = *x.op;
  const std::int64_t packed = PackedLd(x.rows, x.cols, op.major);
  if (op.ld == kPacked)
    op.ld = packed;
  // Before a single line's ld is packed: an unset stride follows the ld that the caller gave.
  if (op.batch_stride == kPacked && batch > 1) {
    TW_ASSIGN_OR_RETURN(op.batch_stride, PackedStride(x));
  }
  if (x.Lines() <= 1 || !x.addressed)
    op.ld = packed;
  if (batch <= 1 || !x.addressed) {
    TW_ASSIGN_OR_RETURN(op.batch_stride, PackedStride(x));
  }
  if (!x.addressed)
    op.align_bytes = Operand{}.align_bytes;
  return OkStatus();
}

// The last element's end, in elements and in bytes, fits in 64 bits; items of D do not overlap.
Status CheckSpan(const Matrix& x, std::int64_t batch) {
  if (x.rows == 0 || x.cols == 0 || batch == 0)
    return OkStatus();
  const Operand& op = *x.op;
  const int element = BytesOf(op.type);
  std::int64_t item = 0;
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(x.Lines() - 1, op.ld, &item) ||
      __builtin_add_overflow(item, x.LineLength(), &item) ||
      __builtin_mul_overflow(item, element, &bytes))
    return TooLarge(x, "ld", op.ld);
  std::int64_t span = 0;
  if (__builtin_mul_overflow(batch - 1, op.batch_stride, &span) ||
      __builtin_add_overflow(span, item, &span) || __builtin_mul_overflow(span, element, &bytes))
    return TooLarge(x, "stride_", op.batch_stride);
  if (x.letter == 'd' && batch > 1 && op.batch_stride < item) {
    return InvalidField("stride_d", std::to_string(op.batch_stride),
                        "must be >= " + std::to_string(item) + ", items of D may not overlap");
  }
  return OkStatus();
}

Status CheckSizes(const GemmProblem& p) {
  const std::array<std::pair<std::string_view, std::int64_t>, 4> sizes = {
      {{"m", p.m}, {"n", p.n}, {"k", p.k}, {"batch", p.batch}}};
  for (const auto& [field, value] : sizes) {
    if (value < 0)
      return InvalidField(field, std::to_string(value), "must be >= 0");
  }
  std::int64_t product = 2;
  if (IsEmpty(p) || p.k == 0)
    return OkStatus();
  for (const auto& [field, value] : sizes) {
    if (__builtin_mul_overflow(product, value, &product))
      return InvalidField(field, std::to_string(value), "2*m*n*k*batch must be less than 2^63");
  }
  return OkStatus();
}

}  // namespace

Result<GemmProblem> Normalize(GemmProblem p) {
  TW_RETURN_IF_ERROR(CheckSizes(p));
  TW_RETURN_IF_ERROR(CheckTypes(p));
  TW_RETURN_IF_ERROR(CheckActivation(p.epilogue.activation));
  // Without products alpha has nothing to multiply: D = epilogue(beta * C) whatever its value.
  if (p.k == 0)
    p.alpha = ScalarKind::kZero;
  // Nor is there anything to scale.
  if (p.alpha == ScalarKind::kZero)
    p.epilogue.scale = ScaleKind::kNone;
  if (!IsFp8(p.a.type))
    p.fp8_fast_accumulate = false;
  const bool reads_inputs = !IsEmpty(p) && p.alpha != ScalarKind::kZero;
  const bool reads_c = !IsEmpty(p) && p.beta != ScalarKind::kZero;
  const std::array<Matrix, 4> matrices = {{{'a', &p.a, p.m, p.k, reads_inputs},
                                           {'b', &p.b, p.k, p.n, reads_inputs},
                                           {'c', &p.c, p.m, p.n, reads_c},
                                           {'d', &p.d, p.m, p.n, !IsEmpty(p)}}};
  for (const Matrix& x : matrices)
    TW_RETURN_IF_ERROR(CheckRanges(x));
  TW_RETURN_IF_ERROR(CheckImplemented(p));
  for (const Matrix& x : matrices) {
    if (x.op == &p.c && p.beta == ScalarKind::kZero)
      continue;  // becomes D
    TW_RETURN_IF_ERROR(ResolveLayout(x, p.batch));
    TW_RETURN_IF_ERROR(CheckSpan(x, p.batch));
  }
  if (p.beta == ScalarKind::kZero)
    p.c = p.d;
  return p;
}

}  // namespace tw
