// SPDX-License-Identifier: Apache-2.0
#include "codegen/problem_traits.h"

#include <string_view>

#include "codegen/core/activation.h"
#include "codegen/core/check.h"

namespace tw {

namespace {

std::string_view DeviceName(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::kZero:
      return "tw::Scalar::kZero";
    case ScalarKind::kOne:
      return "tw::Scalar::kOne";
    case ScalarKind::kOther:
      return "tw::Scalar::kOther";
  }
  TW_CHECK(false);
}

std::string_view DeviceName(BiasKind kind) {
  switch (kind) {
    case BiasKind::kNone:
      return "tw::Bias::kNone";
    case BiasKind::kCol:
      return "tw::Bias::kCol";
    case BiasKind::kRow:
      return "tw::Bias::kRow";
  }
  TW_CHECK(false);
}

std::string_view DeviceName(ScaleKind kind) {
  switch (kind) {
    case ScaleKind::kNone:
      return "tw::Scale::kNone";
    case ScaleKind::kTensor:
      return "tw::Scale::kTensor";
    case ScaleKind::kRowCol:
      return "tw::Scale::kRowCol";
    case ScaleKind::kBlock128:
      break;  // refused by Normalize
  }
  TW_CHECK(false);
}

std::string Alias(std::string_view name, std::string_view type) {
  return "  using " + std::string(name) + " = " + std::string(type) + ";\n";
}

std::string Constant(std::string_view type, std::string_view name, std::string_view value) {
  return "  static constexpr " + std::string(type) + " " + std::string(name) + " = " +
         std::string(value) + ";\n";
}

std::string RowMajor(std::string_view name, const Operand& op) {
  return Constant("bool", name, op.major == Major::kRow ? "true" : "false");
}

const Activation& ActivationOf(const GemmProblem& problem) {
  const Activation* activation = FindActivation(problem.epilogue.activation);
  TW_CHECK(activation != nullptr);
  return *activation;
}

}  // namespace

std::string EmitProblemTraits(const GemmProblem& problem) {
  std::string text = "struct Problem {\n";
  text += Alias("A", Info(problem.a.type).device_type);
  text += Alias("B", Info(problem.b.type).device_type);
  text += Alias("C", Info(problem.c.type).device_type);
  text += Alias("D", Info(problem.d.type).device_type);
  text += Alias("Acc", Info(problem.acc).device_type);
  text += Alias("Activation", ActivationOf(problem).functor);
  text += RowMajor("kARowMajor", problem.a);
  text += RowMajor("kBRowMajor", problem.b);
  text += RowMajor("kCRowMajor", problem.c);
  text += RowMajor("kDRowMajor", problem.d);
  text += Constant("tw::Scalar", "kAlpha", DeviceName(problem.alpha));
  text += Constant("tw::Scalar", "kBeta", DeviceName(problem.beta));
  text += Constant("tw::Bias", "kBias", DeviceName(problem.epilogue.bias));
  text += Constant("tw::Scale", "kScale", DeviceName(problem.epilogue.scale));
  return text + "};\n";
}

std::vector<std::string> ProblemIncludes(const GemmProblem& problem) {
  return {"tw/dtype.cuh", "tw/params.h", std::string(ActivationOf(problem).header),
          "tw/epilogue/linear.cuh"};
}

}  // namespace tw
