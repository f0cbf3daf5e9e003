// SPDX-License-Identifier: Apache-2.0
#include "client/cli/problem_text.h"

#include <string_view>

#include <fmt/format.h>

namespace tw::cli {
namespace {

std::string ScalarText(std::string_view name, v1::ScalarKind kind, v1::ScalarKind usual) {
  if (kind == v1::SCALAR_KIND_UNSPECIFIED || kind == usual) {
    return {};
  }
  return fmt::format(", {} {}", name, Name(kind));
}

std::string OperandText(std::string_view letter, const v1::Operand& operand) {
  std::string text;
  if (operand.has_leading_dimension()) {
    text += fmt::format(", ld{} {}", letter, operand.leading_dimension());
  }
  if (operand.has_batch_stride()) {
    text += fmt::format(", stride_{} {}", letter, operand.batch_stride());
  }
  if (operand.has_align_bytes()) {
    text += fmt::format(", align_{} {}", letter, operand.align_bytes());
  }
  return text;
}

std::string ContractText(const v1::Key& key) {
  std::string text;
  if (key.objective() != v1::OBJECTIVE_UNSPECIFIED && key.objective() != v1::OBJECTIVE_COLD) {
    text += fmt::format(", {}", Name(key.objective()));
  }
  if (key.contract().has_deterministic() && !key.contract().deterministic()) {
    text += ", nondeterministic";
  }
  if (key.contract().batch_invariant()) {
    text += ", batch-invariant";
  }
  return text;
}

}  // namespace

std::string ProblemText(const v1::Key& key) {
  const v1::GemmProblem& p = key.problem();
  std::string text = fmt::format("{} x {} x {} {}", p.m(), p.n(), p.k(), Name(p.a().type()));
  if (p.b().type() != p.a().type() && p.b().type() != v1::DATA_TYPE_UNSPECIFIED) {
    text += fmt::format(" * {}", Name(p.b().type()));
  }
  text.append(" ").append(LayoutText(p.a().major(), p.b().major()));
  if (p.d().type() != v1::DATA_TYPE_UNSPECIFIED) {
    text += fmt::format(" -> {}", Name(p.d().type()));
  }
  if (p.accumulate() != v1::DATA_TYPE_UNSPECIFIED) {
    text += fmt::format(", acc {}", Name(p.accumulate()));
  }
  if (p.has_batch() && p.batch() != 1) {
    text += fmt::format(", batch {}", p.batch());
  }
  text += OperandText("a", p.a()) + OperandText("b", p.b()) + OperandText("c", p.c()) +
          OperandText("d", p.d());
  text += ScalarText("alpha", p.alpha(), v1::SCALAR_KIND_ONE);
  text += ScalarText("beta", p.beta(), v1::SCALAR_KIND_ZERO);
  if (p.bias() != v1::BIAS_UNSPECIFIED && p.bias() != v1::BIAS_NONE) {
    text += fmt::format(", bias {}", Name(p.bias()));
  }
  if (!p.activation().empty() && p.activation() != "none") {
    text += ", " + p.activation();
  }
  if (p.scale() != v1::SCALE_UNSPECIFIED && p.scale() != v1::SCALE_NONE) {
    text += fmt::format(", scale {}", Name(p.scale()));
  }
  return text + ContractText(key);
}

}  // namespace tw::cli
