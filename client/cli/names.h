// Spellings of the wire's enumerations: how flags, tables and JSON write them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "codegen/core/status.h"
#include "tilewright/v1/tuning.pb.h"
#include "tilewright/v1/types.pb.h"

namespace tw::cli {

namespace v1 = ::tilewright::v1;

// A value that this build does not know (a newer server) is "unknown".
std::string_view Name(v1::DataType type);
std::string_view Name(v1::MapOperand operand);
std::string_view Name(v1::MatrixMajor major);
std::string_view Name(v1::ScalarKind kind);
std::string_view Name(v1::Bias bias);
std::string_view Name(v1::Scale scale);
std::string_view Name(v1::Objective objective);
std::string_view Name(v1::ResultState state);
std::string_view Name(v1::OperationState state);
std::string_view Name(v1::Baseline baseline);
std::string_view Name(v1::Regime regime);

// InvalidArgument lists the known spellings.
Result<v1::DataType> ParseDataType(std::string_view field, std::string_view text);
Result<v1::MatrixMajor> ParseMajor(std::string_view field, std::string_view text);
Result<v1::Bias> ParseBias(std::string_view field, std::string_view text);
Result<v1::Scale> ParseScale(std::string_view field, std::string_view text);
Result<v1::Objective> ParseObjective(std::string_view field, std::string_view text);
Result<v1::Baseline> ParseBaseline(std::string_view field, std::string_view text);
Result<v1::Regime> ParseRegime(std::string_view field, std::string_view text);
Result<v1::SearchStrategy> ParseStrategy(std::string_view field, std::string_view text);

// Checked against the client's own table, so that a typing error needs no server.
Result<std::string> ParseActivation(std::string_view field, std::string_view text);

// "nn", "nt", "tn", "tt": 'n' as is and row-major, 't' stored transposed, which is column-major.
struct OperandLayouts {
  v1::MatrixMajor a;
  v1::MatrixMajor b;
};

Result<OperandLayouts> ParseLayout(std::string_view field, std::string_view text);
std::string LayoutText(v1::MatrixMajor a, v1::MatrixMajor b);

// InvalidArgument for a choice outside a closed set.
Status NotOneOf(std::string_view field, std::string_view text, std::string_view known);

}  // namespace tw::cli
