// SPDX-License-Identifier: Apache-2.0
#include "client/cli/names.h"

#include "codegen/core/activation.h"

namespace tw::cli {
namespace {

template <class Enum>
struct Spelling {
  Enum value;
  std::string_view name;
};

constexpr Spelling<v1::DataType> kDataTypes[] = {
    {v1::DATA_TYPE_F64, "f64"},   {v1::DATA_TYPE_F32, "f32"},   {v1::DATA_TYPE_TF32, "tf32"},
    {v1::DATA_TYPE_F16, "f16"},   {v1::DATA_TYPE_BF16, "bf16"}, {v1::DATA_TYPE_E4M3, "e4m3"},
    {v1::DATA_TYPE_E5M2, "e5m2"}, {v1::DATA_TYPE_S8, "s8"},     {v1::DATA_TYPE_S32, "s32"},
};
constexpr Spelling<v1::MapOperand> kMapOperands[] = {
    {v1::MAP_OPERAND_A, "a"},
    {v1::MAP_OPERAND_B, "b"},
    {v1::MAP_OPERAND_D, "d"},
};
constexpr Spelling<v1::MatrixMajor> kMajors[] = {
    {v1::MATRIX_MAJOR_ROW, "row"},
    {v1::MATRIX_MAJOR_COLUMN, "col"},
};
constexpr Spelling<v1::ScalarKind> kScalarKinds[] = {
    {v1::SCALAR_KIND_ZERO, "zero"},
    {v1::SCALAR_KIND_ONE, "one"},
    {v1::SCALAR_KIND_OTHER, "other"},
};
constexpr Spelling<v1::Bias> kBiases[] = {
    {v1::BIAS_NONE, "none"},
    {v1::BIAS_COLUMN, "col"},
    {v1::BIAS_ROW, "row"},
};
constexpr Spelling<v1::Scale> kScales[] = {
    {v1::SCALE_NONE, "none"},
    {v1::SCALE_TENSOR, "tensor"},
    {v1::SCALE_ROW_COLUMN, "row-col"},
    {v1::SCALE_BLOCK128, "block128"},
};
constexpr Spelling<v1::Objective> kObjectives[] = {
    {v1::OBJECTIVE_COLD, "cold"},
    {v1::OBJECTIVE_WARM, "warm"},
    {v1::OBJECTIVE_GRAPH, "graph"},
    {v1::OBJECTIVE_PDL, "pdl"},
};
constexpr Spelling<v1::ResultState> kResultStates[] = {
    {v1::RESULT_STATE_PREDICTED, "PREDICTED"},
    {v1::RESULT_STATE_STALE, "STALE"},
    {v1::RESULT_STATE_UNVERIFIED, "UNVERIFIED"},
    {v1::RESULT_STATE_MEASURED, "MEASURED"},
};
constexpr Spelling<v1::OperationState> kOperationStates[] = {
    {v1::OPERATION_STATE_QUEUED, "QUEUED"},       {v1::OPERATION_STATE_RUNNING, "RUNNING"},
    {v1::OPERATION_STATE_SUCCEEDED, "SUCCEEDED"}, {v1::OPERATION_STATE_FAILED, "FAILED"},
    {v1::OPERATION_STATE_CANCELLED, "CANCELLED"},
};
constexpr Spelling<v1::Baseline> kBaselines[] = {
    {v1::BASELINE_NONE, "none"},
    {v1::BASELINE_CUBLASLT, "cublaslt"},
};
constexpr Spelling<v1::Regime> kRegimes[] = {
    {v1::REGIME_HOT, "hot"},
    {v1::REGIME_COOL, "cool"},
    {v1::REGIME_ALONE, "alone"},
};
constexpr Spelling<v1::SearchStrategy> kStrategies[] = {
    {v1::SEARCH_STRATEGY_ADAPTIVE, "adaptive"},
    {v1::SEARCH_STRATEGY_EXHAUSTIVE, "exhaustive"},
};

template <class Enum, std::size_t kSize>
std::string_view NameIn(const Spelling<Enum> (&table)[kSize], Enum value) {
  for (const auto& row : table) {
    if (row.value == value) {
      return row.name;
    }
  }
  return "unknown";
}

template <class Enum, std::size_t kSize>
Result<Enum> ParseIn(const Spelling<Enum> (&table)[kSize],
                     std::string_view field,
                     std::string_view text) {
  std::string known;
  for (const auto& row : table) {
    if (row.name == text) {
      return row.value;
    }
    known.append(known.empty() ? "" : ", ").append(row.name);
  }
  return NotOneOf(field, text, known);
}

}  // namespace

std::string_view Name(v1::DataType type) {
  return NameIn(kDataTypes, type);
}

std::string_view Name(v1::MapOperand operand) {
  return NameIn(kMapOperands, operand);
}

std::string_view Name(v1::MatrixMajor major) {
  return NameIn(kMajors, major);
}

std::string_view Name(v1::ScalarKind kind) {
  return NameIn(kScalarKinds, kind);
}

std::string_view Name(v1::Bias bias) {
  return NameIn(kBiases, bias);
}

std::string_view Name(v1::Scale scale) {
  return NameIn(kScales, scale);
}

std::string_view Name(v1::Objective objective) {
  return NameIn(kObjectives, objective);
}

std::string_view Name(v1::ResultState state) {
  return NameIn(kResultStates, state);
}

std::string_view Name(v1::OperationState state) {
  return NameIn(kOperationStates, state);
}

std::string_view Name(v1::Baseline baseline) {
  return NameIn(kBaselines, baseline);
}

std::string_view Name(v1::Regime regime) {
  return NameIn(kRegimes, regime);
}

Result<v1::DataType> ParseDataType(std::string_view field, std::string_view text) {
  return ParseIn(kDataTypes, field, text);
}

Result<v1::MatrixMajor> ParseMajor(std::string_view field, std::string_view text) {
  return ParseIn(kMajors, field, text);
}

Result<v1::Bias> ParseBias(std::string_view field, std::string_view text) {
  return ParseIn(kBiases, field, text);
}

Result<v1::Scale> ParseScale(std::string_view field, std::string_view text) {
  return ParseIn(kScales, field, text);
}

Result<v1::Objective> ParseObjective(std::string_view field, std::string_view text) {
  return ParseIn(kObjectives, field, text);
}

Result<v1::Baseline> ParseBaseline(std::string_view field, std::string_view text) {
  return ParseIn(kBaselines, field, text);
}

Result<v1::Regime> ParseRegime(std::string_view field, std::string_view text) {
  return ParseIn(kRegimes, field, text);
}

Result<v1::SearchStrategy> ParseStrategy(std::string_view field, std::string_view text) {
  return ParseIn(kStrategies, field, text);
}

Result<std::string> ParseActivation(std::string_view field, std::string_view text) {
  if (FindActivation(text) != nullptr) {
    return std::string(text);
  }
  std::string known;
  for (const Activation& activation : AllActivations()) {
    known.append(known.empty() ? "" : ", ").append(activation.name);
  }
  return NotOneOf(field, text, known);
}

Result<OperandLayouts> ParseLayout(std::string_view field, std::string_view text) {
  const auto major = [](char letter) {
    return letter == 'n' ? v1::MATRIX_MAJOR_ROW : v1::MATRIX_MAJOR_COLUMN;
  };
  if (text != "nn" && text != "nt" && text != "tn" && text != "tt") {
    return NotOneOf(field, text, "nn, nt, tn, tt");
  }
  return OperandLayouts{major(text[0]), major(text[1])};
}

std::string LayoutText(v1::MatrixMajor a, v1::MatrixMajor b) {
  const auto letter = [](v1::MatrixMajor major) {
    return major == v1::MATRIX_MAJOR_COLUMN ? 't' : 'n';
  };
  return {letter(a), letter(b)};
}

Status NotOneOf(std::string_view field, std::string_view text, std::string_view known) {
  return InvalidField(field, text, std::string("must be one of ").append(known));
}

}  // namespace tw::cli
