// The problem of a request: wire -> core.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "codegen/core/usual_types.h"
#include "server/convert.h"
#include "server/field_check.h"

namespace tw {
namespace {

template <class P, class C>
struct EnumRow {
  P proto;
  C core;
};

constexpr std::array<EnumRow<v1::DataType, DType>, 9> kDataTypes = {{
    {v1::DATA_TYPE_F64, DType::kF64},
    {v1::DATA_TYPE_F32, DType::kF32},
    {v1::DATA_TYPE_TF32, DType::kTf32},
    {v1::DATA_TYPE_F16, DType::kF16},
    {v1::DATA_TYPE_BF16, DType::kBf16},
    {v1::DATA_TYPE_E4M3, DType::kE4m3},
    {v1::DATA_TYPE_E5M2, DType::kE5m2},
    {v1::DATA_TYPE_S8, DType::kS8},
    {v1::DATA_TYPE_S32, DType::kS32},
}};

constexpr std::array<EnumRow<v1::MatrixMajor, Major>, 2> kMajors = {{
    {v1::MATRIX_MAJOR_ROW, Major::kRow},
    {v1::MATRIX_MAJOR_COLUMN, Major::kCol},
}};

constexpr std::array<EnumRow<v1::ScalarKind, ScalarKind>, 3> kScalarKinds = {{
    {v1::SCALAR_KIND_ZERO, ScalarKind::kZero},
    {v1::SCALAR_KIND_ONE, ScalarKind::kOne},
    {v1::SCALAR_KIND_OTHER, ScalarKind::kOther},
}};

constexpr std::array<EnumRow<v1::Bias, BiasKind>, 3> kBiases = {{
    {v1::BIAS_NONE, BiasKind::kNone},
    {v1::BIAS_COLUMN, BiasKind::kCol},
    {v1::BIAS_ROW, BiasKind::kRow},
}};

constexpr std::array<EnumRow<v1::Scale, ScaleKind>, 4> kScales = {{
    {v1::SCALE_NONE, ScaleKind::kNone},
    {v1::SCALE_TENSOR, ScaleKind::kTensor},
    {v1::SCALE_ROW_COLUMN, ScaleKind::kRowCol},
    {v1::SCALE_BLOCK128, ScaleKind::kBlock128},
}};

// The row of `value`; `unspecified` for 0, which is an error where there is no such default.
template <class P, class C, std::size_t N>
Result<C> FromEnum(std::string_view field,
                   P value,
                   const std::array<EnumRow<P, C>, N>& rows,
                   std::optional<C> unspecified) {
  if (static_cast<int>(value) == 0) {
    if (unspecified)
      return *unspecified;
    return InvalidField(field, "unset", "required");
  }
  for (const auto& row : rows) {
    if (row.proto == value)
      return row.core;
  }
  return InvalidField(field, std::to_string(static_cast<int>(value)), "unknown value");
}

// What an operand's fields mean where they are not set.
struct OperandDefaults {
  std::string_view field;  // "problem.a"
  std::optional<DType> type;
  Major major = Major::kRow;
};

Result<Operand> OperandFromProto(const v1::Operand& proto, const OperandDefaults& defaults) {
  const std::string prefix = std::string(defaults.field) + ".";
  Operand op;
  TW_ASSIGN_OR_RETURN(op.type, FromEnum(prefix + "type", proto.type(), kDataTypes, defaults.type));
  TW_ASSIGN_OR_RETURN(
      op.major, FromEnum(prefix + "major", proto.major(), kMajors, std::optional(defaults.major)));
  // On the wire a number is a number: only an unset field means "packed".
  if (proto.has_leading_dimension()) {
    op.ld = proto.leading_dimension();
    if (op.ld < 1)
      return InvalidField(prefix + "leading_dimension", std::to_string(op.ld), "must be >= 1");
  }
  if (proto.has_batch_stride()) {
    op.batch_stride = proto.batch_stride();
    if (op.batch_stride < 0)
      return InvalidField(prefix + "batch_stride", std::to_string(op.batch_stride), "must be >= 0");
  }
  if (proto.has_align_bytes())
    op.align_bytes = proto.align_bytes();
  return op;
}

Status OperandsFromProto(const v1::GemmProblem& proto, GemmProblem& problem) {
  TW_ASSIGN_OR_RETURN(problem.a, OperandFromProto(proto.a(), {"problem.a", std::nullopt}));
  const DType a = problem.a.type;
  TW_ASSIGN_OR_RETURN(problem.b, OperandFromProto(proto.b(), {"problem.b", a}));
  TW_ASSIGN_OR_RETURN(problem.d,
                      OperandFromProto(proto.d(), {"problem.d", UsualTypesOf(a).output}));
  // C is what D is, unless it says otherwise.
  TW_ASSIGN_OR_RETURN(problem.c,
                      OperandFromProto(proto.c(), {"problem.c", problem.d.type, problem.d.major}));
  return OkStatus();
}

Status EpilogueFromProto(const v1::GemmProblem& proto, GemmProblem& problem) {
  TW_ASSIGN_OR_RETURN(problem.alpha, FromEnum("problem.alpha", proto.alpha(), kScalarKinds,
                                              std::optional(ScalarKind::kOne)));
  TW_ASSIGN_OR_RETURN(problem.beta, FromEnum("problem.beta", proto.beta(), kScalarKinds,
                                             std::optional(ScalarKind::kZero)));
  TW_ASSIGN_OR_RETURN(problem.epilogue.bias, FromEnum("problem.bias", proto.bias(), kBiases,
                                                      std::optional(BiasKind::kNone)));
  TW_ASSIGN_OR_RETURN(problem.epilogue.scale, FromEnum("problem.scale", proto.scale(), kScales,
                                                       std::optional(ScaleKind::kNone)));
  TW_RETURN_IF_ERROR(CheckName("problem.activation", proto.activation()));
  if (!proto.activation().empty())
    problem.epilogue.activation = proto.activation();
  return OkStatus();
}

}  // namespace

v1::DataType DataTypeToProto(DType type) {
  for (const auto& row : kDataTypes) {
    if (row.core == type)
      return row.proto;
  }
  return v1::DATA_TYPE_UNSPECIFIED;
}

Result<GemmProblem> ProblemFromProto(const v1::GemmProblem& proto) {
  GemmProblem problem;
  problem.m = proto.m();
  problem.n = proto.n();
  problem.k = proto.k();
  problem.batch = proto.has_batch() ? proto.batch() : 1;
  TW_RETURN_IF_ERROR(OperandsFromProto(proto, problem));
  TW_ASSIGN_OR_RETURN(problem.acc,
                      FromEnum("problem.accumulate", proto.accumulate(), kDataTypes,
                               std::optional(UsualTypesOf(problem.a.type).accumulate)));
  TW_RETURN_IF_ERROR(EpilogueFromProto(proto, problem));
  problem.fp8_fast_accumulate = proto.fp8_fast_accumulate();
  return Normalize(std::move(problem));
}

}  // namespace tw
